/* Recognises the format of documents in text. */
#ifndef DATASETS_RECOGNISE_H
#define DATASETS_RECOGNISE_H

#include <stddef.h>

enum text_format {
    TEXT_UNKNOWN,
    TEXT_SVMLIGHT,
    TEXT_TABLE,
    TEXT_NUMBERS /* every line is one number: a table of one column, or SVMlight text without
                    features */
};

/* Text is SVMlight text if the line that decides has a label and FEATURE:VALUE or qid:N. Lines that
 * are one number, comments, and a first line "DOCUMENTS FEATURES" do not decide. Text is a table if
 * its first line has commas, semicolons or tabs, or if its fields are separated by spaces and look
 * like numbers, or like a header or words with as many fields as the next line. */
enum text_format text_recognise(const char *text, size_t size);

#endif
