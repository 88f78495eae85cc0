/* CityHash64 version 1.0: known hashes for each range of lengths. */
#include "base/cityhash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void test_known_hashes(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t hash;
    } cases[] = {
        {"", 11160318154034397263U},
        {"1", 11413460447292444913U},
        {"12", 12074748272894662792U},
        {"abc", 4220206313085259313U},
        {"1234", 11914632649014994877U},
        {"Moscow", 12507901496292878638U},
        {"12345678", 7177601938557627951U},
        {"123456789", 12390271160407166709U},
        {"1234567890abcdef", 10283158570132023530U},
        {"4RNfAbDSysH78xK5s", 16686325262955297357U},
        {"1234567890abcdefghijklmnopqrstuvwxyz", 6062807976406716385U},
        {"How can you write a big system without C++?  -Paul Glick", 6237945311650045625U},
        {"7zxsqkZNsEoNfRz83hct4HH5ytE3SFvx0MX9ACbDDBZhtUcR30pGvmJIPAoXwJCq", 12341453991847893643U},
        {"DSDXf2J5gvPZWtzo4qdrdbXw6qGKkVuzrV7zEZA3x6xNnGdQdSTr7YocaJWpgDgzq",
         12363235829494951337U},
        {"DMqhuXQxgAmJ9EOkT1n2lpzu7YD6zKc6ESSDWfJfohaQDwu0ba61bfGMiuS5GXpr0bIVcCtLwRtIVGmK",
         12512298373611890505U},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(cityhash64(cases[i].text, strlen(cases[i].text)) == cases[i].hash);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known_hashes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
