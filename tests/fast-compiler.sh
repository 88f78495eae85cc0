#!/bin/sh
# A C compiler that does not optimise. Tests name it in TREEBENCH_CC, because most of them check what
# treebench has compiled, not how fast that is.
exec cc "$@" -O0
