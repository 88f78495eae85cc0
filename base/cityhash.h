/* CityHash64 version 1.0. CatBoost hashes categories with it. Not for secrets. */
#ifndef BASE_CITYHASH_H
#define BASE_CITYHASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t cityhash64(const char *text, size_t length);

#endif
