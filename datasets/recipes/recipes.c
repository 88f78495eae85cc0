#include "datasets/recipes/columns.h"

#include <string.h>

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof *(array)))
#define COLUMNS(name) .columns = name, .n_columns = COUNT(name)
#define NUMBERS(count)                                                                             \
    {                                                                                              \
        { .kind = COLUMN_NUMBER, .repeat = (count) }                                               \
    }
#define NUMBER                                                                                     \
    { .kind = COLUMN_NUMBER }
#define UNUSED                                                                                     \
    { .kind = COLUMN_UNUSED }
#define TIMES(by)                                                                                  \
    { .kind = COLUMN_TRUNCATED, .factor = (by) }

#define DIGITS "0 1 2 3 4 5 6 7 8 9"

/* --- adult ------------------------------------------------------------------------------------ */

/* The words of a column have the order of adult.names. */
static const struct recipe_column adult[] = {
    NUMBER, /* age */
    {.kind = COLUMN_EACH_OR_LAST,
     .words = "Private Self-emp-not-inc Self-emp-inc Federal-gov Local-gov State-gov Without-pay "
              "Never-worked"},
    NUMBER, /* fnlwgt */
    {.kind = COLUMN_EACH_OR_LAST,
     .words = "Bachelors Some-college 11th HS-grad Prof-school Assoc-acdm Assoc-voc 9th 7th-8th "
              "12th Masters 1st-4th 10th Doctorate 5th-6th Preschool"},
    NUMBER, /* education-num */
    {.kind = COLUMN_EACH_OR_LAST,
     .words = "Married-civ-spouse Divorced Never-married Separated Widowed Married-spouse-absent "
              "Married-AF-spouse"},
    {.kind = COLUMN_EACH_OR_LAST,
     .words = "Tech-support Craft-repair Other-service Sales Exec-managerial Prof-specialty "
              "Handlers-cleaners Machine-op-inspct Adm-clerical Farming-fishing Transport-moving "
              "Priv-house-serv Protective-serv Armed-Forces"},
    {.kind = COLUMN_EACH_OR_LAST,
     .words = "Wife Own-child Husband Not-in-family Other-relative Unmarried"},
    {.kind = COLUMN_EACH_OR_LAST,
     .words = "White Asian-Pac-Islander Amer-Indian-Eskimo Other Black"},
    {.kind = COLUMN_EACH_OR_LAST, .words = "Female Male"},
    NUMBER, /* capital-gain */
    NUMBER, /* capital-loss */
    NUMBER, /* hours-per-week */
    UNUSED, /* native-country */
};
static const struct recipe_source adult_owners = {{"adult.data"}, .labels = "<=50K >50K"},
                                  adult_collected = {{"adult-train.csv.gz"},
                                                     .labels = "<=50K >50K"};

/* --- bank ------------------------------------------------------------------------------------- */

static const struct recipe_column bank[] = {
    NUMBER, /* age */
    {.kind = COLUMN_EACH,
     .words = "admin. blue-collar entrepreneur housemaid management retired self-employed services "
              "student technician unemployed unknown"},
    UNUSED, /* marital */
    {.kind = COLUMN_EACH,
     .words = "basic.4y basic.6y basic.9y high.school illiterate professional.course "
              "university.degree unknown"},
    {.kind = COLUMN_EACH, .words = "no yes unknown", .repeat = 3}, /* default, housing, loan */
    {.kind = COLUMN_CODE, .words = "cellular telephone"},
    {.kind = COLUMN_EACH, .words = "jan feb mar apr may jun jul aug sep oct nov dec"},
    {.kind = COLUMN_EACH, .words = "mon tue wed thu fri"},
    UNUSED,      /* duration */
    NUMBER,      /* campaign */
    NUMBER,      /* pdays */
    TIMES(1000), /* previous */
    {.kind = COLUMN_EACH, .words = "failure nonexistent success"},
    {.kind = COLUMN_TRUNCATED, .factor = 1000, .repeat = 5}, /* numbers about the economy */
};
static const struct recipe_source
    bank_owners = {{"bank-additional/bank-additional-full.csv"},
                   .has_header = true,
                   .labels = "no yes"},
    bank_collected = {{"bank-additional.zip:bank-additional/bank-additional-full.csv"},
                      .has_header = true,
                      .labels = "no yes"};

/* --- tables of numbers ------------------------------------------------------------------------ */

static const struct recipe_column covertype[] = NUMBERS(54);
static const struct recipe_source covertype_owners = {{"covtype.data.gz"},
                                                      .labels = "1 2 3 4 5 6 7"},
                                  covertype_collected = {
                                      {"covtype.20k.data.gz"},
                                      .labels = "1 2 3 4 5 6 7",
                                      .note =
                                          "a part of covertype: its first 20,000 of 581,012 rows"};

static const struct recipe_column fact[] = NUMBERS(16);
static const struct recipe_source fact_collected = {{"fact16.csv.gz"},
                                                    .has_header = true,
                                                    .labels = "0 1",
                                                    .note =
                                                        "a part of fact: 3,000 of 1,477,800 rows"};

static const struct recipe_column letter[] = NUMBERS(16);
static const struct recipe_source
    letter_owners = {{"letter-recognition.data"},
                     .label_first = true,
                     .labels = "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z"},
    letter_collected = {{"letter.tsv.gz"},
                        .has_header = true,
                        .labels = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 "
                                  "25 26"};

static const struct recipe_column magic[] = {{.kind = COLUMN_TRUNCATED, .repeat = 10}},
                                  magic_float[] = NUMBERS(10);
static const struct recipe_source magic_owners = {{"magic04.data"}, .labels = "g h"},
                                  magic_collected = {
                                      {"magic.tsv.gz"}, .has_header = true, .labels = "0 1"};

static const struct recipe_column mnist[] = NUMBERS(784);
static const struct recipe_source mnist_collected = {
    {"mnist.test10k.csv.gz"},
    .labels = DIGITS,
    .note = "a part of mnist: its 10,000 test rows, split at random"};

static const struct recipe_column satlog[] = NUMBERS(36);
static const struct recipe_source satlog_owners = {{"sat.trn", "sat.tst"},
                                                   .labels = "1 2 3 4 5 7",
                                                   .test_last = 2000},
                                  satlog_collected = {{"satimage.tsv.gz"},
                                                      .has_header = true,
                                                      .labels = "1 2 3 4 5 7",
                                                      .test_last = 2000};

static const struct recipe_column sensorless[] = NUMBERS(48);
#define SENSORLESS_LABELS "1 2 3 4 5 6 7 8 9 10 11"
static const struct recipe_source
    sensorless_owners = {{"Sensorless_drive_diagnosis.txt"}, .labels = SENSORLESS_LABELS},
    sensorless_collected = {{"Sensorless_drive_diagnosis.truncated.txt.gz"},
                            .labels = SENSORLESS_LABELS,
                            .note = "a part of sensorless: its first 5,748 of 58,509 rows, 2 of 11 "
                                    "classes"};

/* --- wearable --------------------------------------------------------------------------------- */

static const struct recipe_column wearable[] = {
    UNUSED, /* user */
    {.kind = COLUMN_CODE, .words = "Woman Man"},
    {.kind = COLUMN_TRUNCATED, .factor = 100, .repeat = 4},  /* age, height, weight, BMI */
    {.kind = COLUMN_TRUNCATED, .factor = 100, .repeat = 11}, /* x1 to y4 */
    {.kind = COLUMN_TRUNCATED,                               /* z4; a time is stuck to one number */
     .factor = 100,
     .damage = "-14420-11-2011 04:50:23.713",
     .repair = "-144"},
};
#define WEARABLE_LABELS "sitting sittingdown standing standingup walking"
static const struct recipe_source
    wearable_owners = {{"dataset-har-PUC-Rio-ugulino.csv"},
                       .has_header = true,
                       .labels = WEARABLE_LABELS},
    wearable_collected = {{"dataset-har-PUC-Rio-ugulino.zip:dataset-har-PUC-Rio-ugulino.csv"},
                          .has_header = true,
                          .labels = WEARABLE_LABELS};

/* --- wine-quality ----------------------------------------------------------------------------- */

static const struct recipe_column wine[] = NUMBERS(11);
static const struct recipe_source wine_owners = {{"winequality-red.csv", "winequality-white.csv"},
                                                 .has_header = true,
                                                 .labels = "3 4 5 6 7 8 9"},
                                  wine_collected = {
                                      {"wine_quality_red.tsv.gz", "wine_quality_white.tsv.gz"},
                                      .has_header = true,
                                      .labels = "3 4 5 6 7 8 9"};

/* --- all -------------------------------------------------------------------------------------- */

/* imdb: the paper's program takes its 10,000 columns of words from Keras, which nobody has here. */
static const struct recipe RECIPES[] = {
    {.name = "adult",
     .type = RECIPE_INT,
     .features = 64,
     .test_rows = 8141,
     .split = "random",
     COLUMNS(adult),
     .owners = &adult_owners,
     .collected = &adult_collected},
    {.name = "bank",
     .type = RECIPE_INT,
     .features = 59,
     .test_rows = 10297,
     .split = "random",
     COLUMNS(bank),
     .owners = &bank_owners,
     .collected = &bank_collected},
    {.name = "covertype",
     .type = RECIPE_INT,
     .features = 54,
     .test_rows = 145253,
     .split = "random",
     COLUMNS(covertype),
     .owners = &covertype_owners,
     .collected = &covertype_collected,
     .drops_first_row = true},
    {.name = "fact",
     .type = RECIPE_FLOAT,
     .features = 16,
     .test_rows = 369450,
     .split = "random",
     COLUMNS(fact),
     .collected = &fact_collected,
     .drops_not_finite = true},
    {.name = "imdb",
     .type = RECIPE_FLOAT,
     .features = 10000,
     .test_rows = 25000,
     .split = "published"},
    {.name = "letter",
     .type = RECIPE_INT,
     .features = 16,
     .test_rows = 5000,
     .split = "random",
     COLUMNS(letter),
     .owners = &letter_owners,
     .collected = &letter_collected},
    {.name = "magic",
     .type = RECIPE_INT,
     .features = 10,
     .test_rows = 4755,
     .split = "random",
     COLUMNS(magic),
     .owners = &magic_owners,
     .collected = &magic_collected},
    {.name = "magic-float",
     .type = RECIPE_FLOAT,
     .features = 10,
     .test_rows = 4755,
     .split = "random",
     COLUMNS(magic_float),
     .owners = &magic_owners,
     .collected = &magic_collected},
    {.name = "mnist",
     .type = RECIPE_INT,
     .features = 784,
     .test_rows = 10000,
     .split = "published",
     COLUMNS(mnist),
     .collected = &mnist_collected},
    {.name = "satlog",
     .type = RECIPE_INT,
     .features = 36,
     .test_rows = 2000,
     .split = "published",
     COLUMNS(satlog),
     .owners = &satlog_owners,
     .collected = &satlog_collected},
    {.name = "sensorless",
     .type = RECIPE_FLOAT,
     .features = 48,
     .test_rows = 14628,
     .split = "random",
     COLUMNS(sensorless),
     .owners = &sensorless_owners,
     .collected = &sensorless_collected},
    {.name = "wearable",
     .type = RECIPE_INT,
     .features = 17,
     .test_rows = 41409,
     .split = "random",
     COLUMNS(wearable),
     .owners = &wearable_owners,
     .collected = &wearable_collected},
    {.name = "wine-quality",
     .type = RECIPE_FLOAT,
     .features = 11,
     .test_rows = 1625,
     .split = "random",
     COLUMNS(wine),
     .owners = &wine_owners,
     .collected = &wine_collected},
};

const struct recipe *recipes(size_t *count) {
    *count = COUNT(RECIPES);
    return RECIPES;
}

const struct recipe *recipe_find(const char *name) {
    for (size_t i = 0; i < COUNT(RECIPES); i++)
        if (strcmp(RECIPES[i].name, name) == 0)
            return &RECIPES[i];
    return NULL;
}
