#include "harness/latency/histogram_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* The counts as hdr-histogram-js 3.0.1 encodes them. */
static const unsigned char header[] = {0x1c, 0x84, 0x93, 0x13, /* version 2 */
                                       0,    0,    0,    16,   /* bytes of counts */
                                       0,    0,    0,    0,    /* offset */
                                       0,    0,    0,    3,    /* digits */
                                       0,    0,    0,    0,    0,    0,    0, 1, 0, 0, 3, 0xff,
                                       0xff, 0xff, 0xff, 0xff, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0};
static const unsigned char counts[] = {0x02, 0x00, 0x02, 0x07, 0x02, 0xb7, 0x01, 0xd8,
                                       0x04, 0xf9, 0x31, 0x02, 0xe5, 0xb2, 0x02, 0x02};

static struct histogram *make_histogram(void) {
    struct histogram *histogram = histogram_create();
    assert_non_null(histogram);
    histogram_record(histogram, 0);
    histogram_record(histogram, 2);
    histogram_record(histogram, 7);
    for (int i = 0; i < 300; i++)
        histogram_record(histogram, 100);
    histogram_record(histogram, 5000);
    histogram_record(histogram, 3000000000);
    return histogram;
}

static void test_the_encoding_is_that_of_hdrhistogram(void **state) {
    (void)state;
    struct histogram *histogram = make_histogram();
    unsigned char *bytes = malloc(HISTOGRAM_ENCODED_MOST);
    assert_non_null(bytes);
    assert_int_equal(histogram_encode(histogram, bytes), sizeof header + sizeof counts);
    assert_memory_equal(bytes, header, sizeof header);
    assert_memory_equal(bytes + sizeof header, counts, sizeof counts);
    free(bytes);
    free(histogram);
}

/* The bytes of large counts end with the 9th. */
static void test_the_largest_counts_are_encoded(void **state) {
    (void)state;
    struct histogram *histogram = histogram_create();
    unsigned char *bytes = malloc(HISTOGRAM_ENCODED_MOST);
    assert_true(histogram && bytes);
    histogram->counts[0] = INT64_MAX;
    assert_int_equal(histogram_encode(histogram, bytes), HISTOGRAM_HEADER + 9);
    static const unsigned char largest[] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    assert_memory_equal(bytes + HISTOGRAM_HEADER, largest, sizeof largest);
    free(bytes);
    free(histogram);
}

static void test_a_log_has_a_line_for_each_histogram(void **state) {
    (void)state;
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    struct histogram *histogram = make_histogram();
    histogram_log_begin(stream);
    assert_int_equal(histogram_log_write(histogram, "qs/same/1", 2.5, stream, NULL), STATUS_OK);
    fclose(stream);
    assert_ptr_equal(strstr(text, "#[Histogram log format version 1.3]\n\"StartTimestamp\","),
                     text);
    /* the base64 of the first 4 bytes, and zlib's header as the 9th */
    const char *line = strstr(text, "\nTag=qs/same/1,0.000,2.500,3000.000000,HISTFAAAA");
    assert_non_null(line);
    assert_int_equal(strlen(strrchr(line, ',') + 1) % 4, 1); /* and the newline */
    free(text);
    free(histogram);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_encoding_is_that_of_hdrhistogram),
        cmocka_unit_test(test_the_largest_counts_are_encoded),
        cmocka_unit_test(test_a_log_has_a_line_for_each_histogram),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
