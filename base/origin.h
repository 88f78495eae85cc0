/* Where documents and trees come from, as bits. They travel from files over matrices and ensembles
 * to rows, figures and the page. Notes only describe origins for people. */
#ifndef BASE_ORIGIN_H
#define BASE_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

/* 0: nothing says that documents or trees are not real. Files and rows store the names of the bits,
 * never their numbers. */
enum origin {
    ORIGIN_SYNTHETIC = 1, /* trees and their documents were made up */
    ORIGIN_STAND_IN = 2,  /* made-up documents in place of a data set's */
    ORIGIN_SAMPLE = 4,
    ORIGIN_PART = 8,       /* of the data set's rows */
    ORIGIN_GROWN = 16,     /* random trees, not trained */
    ORIGIN_COPIED = 32,    /* trees that repeat those of a smaller model */
    ORIGIN_RESAMPLED = 64, /* documents drawn from others with replacement */
    ORIGIN_UNKNOWN = 128,  /* documents with a note that no version of treebench wrote */
    ORIGIN_TRAINED = 256   /* treebench trained the trees, on documents that the other bits tell */
};
#define ORIGIN_NOT_REAL (ORIGIN_TRAINED - 1u)
#define ORIGIN_ALL (2u * ORIGIN_TRAINED - 1u)
enum { ORIGIN_TEXT_SIZE = 96 };

/* Returns the origin of what a model and documents give together. A model's bits include those of
 * the documents that it was made from. */
unsigned origin_join(unsigned model, unsigned documents);

/* Writes the names of the bits with spaces between them, or "" for 0. */
void origin_write(unsigned origin, char text[static ORIGIN_TEXT_SIZE]);

/* Reads such a text, or "real" for 0. Returns false if a word is no name. */
bool origin_read(const char *text, size_t size, unsigned *origin);

/* Returns what the note of documents says. For files of versions that stored notes alone: no other
 * function decides by a note. */
unsigned origin_of_documents_note(const char *note);

/* The same for the note of a model, or of a row, which begins with the model's. */
unsigned origin_of_model_note(const char *note);

#endif
