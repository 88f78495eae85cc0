#include "harness/latency/histogram_log.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* The first words of version 2, and of its compressed form. */
enum { COOKIE = 0x1c849313, COMPRESSED_COOKIE = 0x1c849314, COMPRESSED_HEADER = 8 };
static const double NS_PER_MS = 1e6;

/* Writes an integer of `size` bytes, the highest byte first. Returns the end. */
static unsigned char *put_integer(unsigned char *at, uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; i++)
        at[i] = (unsigned char)(value >> 8 * (size - 1 - i));
    return at + size;
}

/* Writes a number as "ZigZag LEB128-64b9B": 7 bits in each byte, the lowest first. The highest bit
 * of a byte says that another follows, except in the 9th, which has 8 bits. */
static unsigned char *put_number(unsigned char *at, int64_t value) {
    uint64_t rest = (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
    for (int i = 0; i < 8 && rest > 0x7f; i++, rest >>= 7)
        *at++ = (unsigned char)(rest | 0x80);
    *at++ = (unsigned char)rest;
    return at;
}

/* Writes the counts up to the last that is not 0. n zeros in a row are one number: -n. */
static unsigned char *put_counts(unsigned char *at, const struct histogram *histogram) {
    int64_t zeros = 0;
    for (size_t i = 0; i < HISTOGRAM_COUNTS; i++) {
        if (!histogram->counts[i]) {
            zeros++;
            continue;
        }
        at = zeros == 0 ? at : put_number(at, zeros == 1 ? 0 : -zeros);
        at = put_number(at, (int64_t)histogram->counts[i]);
        zeros = 0;
    }
    return at;
}

size_t histogram_encode(const struct histogram *histogram,
                        unsigned char bytes[static HISTOGRAM_ENCODED_MOST]) {
    const double ratio = 1;
    uint64_t ratio_bits;
    memcpy(&ratio_bits, &ratio, sizeof ratio_bits);
    unsigned char *end = put_counts(bytes + HISTOGRAM_HEADER, histogram);
    unsigned char *at = put_integer(bytes, COOKIE, 4);
    at = put_integer(at, (uint64_t)(end - bytes - HISTOGRAM_HEADER), 4);
    at = put_integer(at, 0, 4); /* offset of the index */
    at = put_integer(at, HISTOGRAM_DIGITS, 4);
    at = put_integer(at, 1, 8); /* the unit */
    at = put_integer(at, HISTOGRAM_MOST, 8);
    put_integer(at, ratio_bits, 8);
    return (size_t)(end - bytes);
}

/* --- text ------------------------------------------------------------------------------------- */

static void write_base64(const unsigned char *bytes, size_t n, FILE *stream) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        uint32_t group = (uint32_t)bytes[i] << 16;
        group |= i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0;
        group |= i + 2 < n ? bytes[i + 2] : 0;
        fputc(digits[group >> 18], stream);
        fputc(digits[group >> 12 & 63], stream);
        fputc(i + 1 < n ? digits[group >> 6 & 63] : '=', stream);
        fputc(i + 2 < n ? digits[group & 63] : '=', stream);
    }
}

void histogram_log_begin(FILE *stream) {
    fputs("#[Histogram log format version 1.3]\n"
          "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
          "\"Interval_Compressed_Histogram\"\n",
          stream);
}

enum status histogram_log_write(const struct histogram *histogram, const char *tag, double seconds,
                                FILE *stream, struct error *error) {
    uLongf packed = compressBound(HISTOGRAM_ENCODED_MOST);
    unsigned char *bytes = malloc(HISTOGRAM_ENCODED_MOST);
    unsigned char *compressed = malloc(COMPRESSED_HEADER + packed);
    bool has_memory = bytes && compressed &&
                      compress(compressed + COMPRESSED_HEADER, &packed, bytes,
                               (uLong)histogram_encode(histogram, bytes)) == Z_OK;
    if (has_memory) {
        put_integer(put_integer(compressed, COMPRESSED_COOKIE, 4), packed, 4);
        fprintf(stream, "Tag=%s,0.000,%.3f,%.6f,", tag, seconds,
                (double)histogram->most / NS_PER_MS);
        write_base64(compressed, COMPRESSED_HEADER + packed, stream);
        fputc('\n', stream);
    }
    free(bytes);
    free(compressed);
    return has_memory ? STATUS_OK : error_memory(error, "an encoded histogram");
}
