/* A check of what a report wrote. Include it after cmocka.h. */
#ifndef TESTS_HARNESS_PAPERS_EXPECT_IN_FILE_H
#define TESTS_HARNESS_PAPERS_EXPECT_IN_FILE_H

#include "base/files/file.h"

#include <string.h>

/* Fails, and prints the file, if it does not contain the text. */
static inline void expect_in_file(const char *path, const char *wanted) {
    struct file_text text;
    assert_int_equal(file_read(path, &text, NULL), STATUS_OK);
    bool found = strstr(text.data, wanted) != NULL;
    if (!found)
        print_error("%s\n", text.data);
    file_text_free(&text);
    if (!found)
        fail_msg("\"%s\" is not there", wanted);
}

#endif
