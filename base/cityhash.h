/* CityHash64 as its version 1.0 has it, by which CatBoost knows categories. Not for secrets. */
#ifndef BASE_CITYHASH_H
#define BASE_CITYHASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t cityhash64(const char *text, size_t length);

#endif
