# Prints the column `column` of the first row of a CSV. Used with csv.awk.
NR == 1 {
    count = csv_split($0, names)
    for (i = 1; i <= count; i++)
        number[names[i]] = i
}

NR == 2 {
    csv_split($0, fields)
    print fields[number[column]]
}
