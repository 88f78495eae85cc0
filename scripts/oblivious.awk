# Writes a model as CatBoost's JSON has it: oblivious trees of 6 tests, with random tests and leaf
# values. For measuring speed, and for tests.
#   trees, features   how many
function random_split(    feature, border) {
    feature = int(rand() * features)
    border = int(rand() * n_borders)
    return sprintf("{\"split_type\": \"FloatFeature\", \"float_feature_index\": %d, " \
        "\"border\": %.9g, \"split_index\": %d}", feature, (border + 1) / (n_borders + 1),
        feature * n_borders + border)
}

function list_borders(    i, text) {
    for (i = 1; i <= n_borders; i++)
        text = text (i > 1 ? ", " : "") sprintf("%.9g", i / (n_borders + 1))
    return text
}

BEGIN {
    n_borders = 64
    depth = 6
    srand(1)
    print "{\"features_info\": {\"float_features\": ["
    for (feature = 0; feature < features; feature++)
        printf "%s{\"feature_index\": %d, \"flat_feature_index\": %d, \"has_nans\": false, " \
            "\"nan_value_treatment\": \"AsIs\", \"borders\": [%s]}", feature ? ",\n" : "",
            feature, feature, list_borders()
    print "]},\n\"oblivious_trees\": ["
    for (tree = 0; tree < trees; tree++) {
        printf "%s{\"splits\": [", tree ? ",\n" : ""
        for (i = 0; i < depth; i++)
            printf "%s%s", i ? ",\n" : "", random_split()
        printf "],\n\"leaf_values\": ["
        for (i = 0; i < 2 ^ depth; i++)
            printf "%s%.17g", i ? ", " : "", rand() - 0.5
        printf "]}"
    }
    print "],\n\"scale_and_bias\": [1, [0]]}"
}
