/* Beside what all readers must do: what was read and can be written is read again unchanged. */
#include "tests/fuzz/model_fuzz.h"

static void write_and_read(const struct ensemble *ensemble) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    fuzz_expect(stream != NULL);
    enum status status = model_format_lightgbm.write(ensemble, stream, NULL);
    fuzz_expect(fclose(stream) == 0);
    struct ensemble *back = NULL;
    if (!status) {
        fuzz_expect(model_format_lightgbm.read("f", text, size, &back, NULL) == STATUS_OK);
        fuzz_expect(same_ensemble(ensemble, back));
    }
    ensemble_free(back);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ensemble *ensemble = NULL;
    /* Writers get plain nodes only, see model_write. */
    if (model_format_lightgbm.read("f", (const char *)data, size, &ensemble, NULL) == STATUS_OK &&
        ensemble->n_sets == 0)
        write_and_read(ensemble);
    ensemble_free(ensemble);
    static const struct fuzz_format format = {&model_format_lightgbm, 5, true};
    return fuzz_model(&format, data, size);
}
