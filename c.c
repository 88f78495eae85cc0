#include "c.h"
#include "b.h"
