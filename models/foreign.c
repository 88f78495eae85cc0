#include "models/formats.h"

#include <stdbool.h>
#include <string.h>

static bool begins(const char *text, size_t size, const char *begin, size_t length) {
    return size >= length && memcmp(text, begin, length) == 0;
}

static bool has(const char *text, size_t size, const char *word) {
    return memmem(text, size, word, strlen(word)) != NULL;
}

/* --- pickles ---------------------------------------------------------------------------------- */

enum { PICKLE_FIRST = 2, PICKLE_LAST = 5 }; /* versions stored in the second byte */

static bool is_pickle(const char *text, size_t size) {
    return size > 2 && (unsigned char)text[0] == 0x80 && text[1] >= PICKLE_FIRST &&
           text[1] <= PICKLE_LAST;
}

/* joblib compresses pickles with zlib. The two bytes of zlib's header are a big-endian number that
 * is a multiple of 31. */
static bool is_zlib(const char *text, size_t size) {
    return size > 2 && text[0] == 0x78 &&
           (((unsigned)text[0] << 8) | (unsigned char)text[1]) % 31 == 0;
}

/* Names the library that wrote a pickle. The names of its modules are near the beginning. */
static const char *describe_pickle(const char *text, size_t size) {
#define PICKLE "a Python pickle, which only Python can read. "
    static const struct {
        const char *module, *what;
    } libraries[] = {
        {"catboost", PICKLE "Save the model with save_model(\"model.cbm\")"},
        {"lightgbm", PICKLE "Save the model with booster_.save_model(\"model.txt\")"},
        {"xgboost", PICKLE "Save the model with save_model(\"model.json\")"},
        {"sklearn", PICKLE "Export the model with skl2onnx: to_onnx(model, rows[:1])"},
    };
    size_t near = size < 65536 ? size : 65536;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (has(text, near, libraries[i].module))
            return libraries[i].what;
    return PICKLE "Save the model with its library's save_model, or export it with skl2onnx";
}

/* --- others ----------------------------------------------------------------------------------- */

static const char *describe_zip(const char *text, size_t size) {
    size_t near = size < 4096 ? size : 4096;
    if (has(text, near, "schema.json"))
        return "a skops model. Export the model with skl2onnx: to_onnx(model, rows[:1])";
    if (has(text, near, "model.ini"))
        return "an H2O MOJO, which only H2O can read. Export the model as XGBoost or ONNX";
    if (has(text, near, ".pkl") || has(text, near, ".pickle") || has(text, near, ".joblib"))
        return "a zip archive that contains a Python pickle. Save the model with its library's "
               "save_model, or export it with skl2onnx";
    return NULL;
}

static bool is_onnx(const char *text, size_t size) {
    return size > 2 && text[0] == 8 && text[1] > 0 && text[1] < 32 && has(text, size, "onnx");
}

const char *model_foreign(const char *text, size_t size) {
    static const char hdf[] = "\x89HDF\r\n\x1a\n";
    size_t near = size < 4096 ? size : 4096;
    if (is_pickle(text, size))
        return describe_pickle(text, size);
    if (is_zlib(text, size))
        return "packed with zlib, as joblib packs Python pickles. Save the model with its "
               "library's save_model, or export it with skl2onnx";
    if (begins(text, size, "PK\3\4", 4))
        return describe_zip(text, size);
    if (begins(text, size, hdf, sizeof hdf - 1))
        return "an HDF5 file, such as a Keras network. Only ensembles of trees are supported";
    if (begins(text, size, "RDX", 3) || begins(text, size, "RDA", 3) ||
        begins(text, size, "X\n\0\0\0", 5))
        return "an R object, which only R can read. Save the model with xgb.save or lgb.save";
    if (has(text, near, "<PMML"))
        return "PMML, which is not supported. Save the model with its library's save_model, or "
               "export it as ONNX";
    if (is_onnx(text, size))
        return "an ONNX model without a TreeEnsemble node. Only ensembles of trees are supported";
    return NULL;
}
