# Reads a model of treebench's JSON and writes its trees for the programs that asadi2014's authors
# published: as the text that they read, or with `-v xml=1` as the XML that their converter turns
# into code. Nodes are in the order of the authors' converter, breadth first. Leaves get whole
# numbers from -498 to 498, so that the sums of 1,000 trees are exact in float32. Thresholds keep 20
# bits, so that every reader gets the same float32.
function numbers(line, list) {
    gsub(/^[^[]*\[|\].*$|"/, "", line)
    return split(line, list, ",")
}

function exact(threshold,    scale) {
    if (threshold == 0)
        return 0
    scale = 2 ^ (20 - int(log(threshold < 0 ? -threshold : threshold) / log(2)))
    return sprintf("%.17g", int(threshold * scale) / scale)
}

function leaf_value(leaf) {
    return (n_leaves + leaf) * 389 % 997 - 498
}

# Returns the line of a child, and notes the place of an inner node.
function child_line(id, parent, child, is_left) {
    if (child < 0)
        return "leaf " id " " place[parent] " " is_left " " leaf_value(-child) "\n"
    place[child] = id
    level[child] = level[parent] + 1
    return "node " id " " place[parent] " " feature[child + 1] " " is_left " " \
        threshold[child + 1] "\n"
}

function as_text(n,    i, depth, lines) {
    place[0] = level[0] = depth = 0
    for (i = 0; i < n; i++) {
        lines = lines child_line(2 * i + 1, i, left[i + 1], 1) \
            child_line(2 * i + 2, i, right[i + 1], 0)
        if (level[i] + 1 > depth)
            depth = level[i] + 1
    }
    trees = trees depth "\nroot 0 " feature[1] " " threshold[1] "\n" lines "end\n"
}

function joined(list, n,    i, text) {
    for (i = 1; i <= n; i++)
        text = text (i > 1 ? " " : "") list[i]
    return text
}

function as_xml(n,    i, values) {
    for (i = 1; i <= n + 1; i++)
        values[i] = leaf_value(i)
    trees = trees "<Tree leaves=\"" n + 1 "\" weight=\"1.0\">\n" \
        "<SplitFeatures>" joined(feature, n) "</SplitFeatures>\n" \
        "<LeftChildren>" joined(left, n) "</LeftChildren>\n" \
        "<RightChildren>" joined(right, n) "</RightChildren>\n" \
        "<Thresholds>" joined(feature, n) "</Thresholds>\n" \
        "<OriginalThresholds>" joined(threshold, n) "</OriginalThresholds>\n" \
        "<LeafOutputs>" joined(values, n + 1) "</LeafOutputs>\n</Tree>\n"
}

/^ *"feature":/ { numbers($0, feature) }
/^ *"threshold":/ {
    n = numbers($0, threshold)
    for (i = 1; i <= n; i++)
        threshold[i] = exact(threshold[i])
}
/^ *"left":/ { numbers($0, left) }
/^ *"right":/ {
    n = numbers($0, right)
    if (xml)
        as_xml(n)
    else
        as_text(n)
    n_trees++
    n_leaves += n + 1
}
END {
    if (xml)
        printf "<Ensemble>\n%s</Ensemble>\n", trees
    else
        printf "%d\n%s", n_trees, trees
}
