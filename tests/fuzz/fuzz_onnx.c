#include "tests/fuzz/model_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_model(&model_format_onnx, data, size);
}
