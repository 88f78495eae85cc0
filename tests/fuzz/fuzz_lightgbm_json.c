#include "tests/fuzz/model_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const struct fuzz_format format = {&model_format_lightgbm_json, 12, true};
    return fuzz_model(&format, data, size);
}
