/* The implementations for devices, as test_exactness.c has them: on the device that
 * TREEBENCH_DEVICE names, or the first of OpenCL. Few documents and parameters, because PoCL is
 * slow. */
#define ONLY_DEVICES true
#define PROBES_MAX 120

#include "tests/impls/test_exactness.c"
