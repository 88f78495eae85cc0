/* An artefact's file (configs/NAME.json) is refused with one line or read. */
#include "harness/artefacts/artefact.h"
#include "harness/papers/report.h"
#include "tests/fuzz/own_folder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[512];
    struct artefact artefact;
    struct error error = {""};
    snprintf(path, sizeof path, "%s/a.json", fuzz_folder());
    fuzz_write(path, data, size);
    enum status status = artefact_open(path, "s", &artefact, &error);
    if (status) {
        fuzz_expect_line(error.text, path);
        return 0;
    }
    fuzz_expect(strcmp(artefact.name, "a") == 0 && strcmp(artefact.scale.name, "s") == 0);
    for (size_t i = 0; i < artefact.n_variants; i++) {
        fuzz_expect(artefact_knows_operand(&artefact, artefact.variants[i]));
        fuzz_expect(artefact_label(&artefact, artefact.variants[i]) != NULL);
    }
    artefact_free(&artefact);
    return 0;
}
