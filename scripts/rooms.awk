# Checks the rooms. Usage: awk -f rooms.awk rooms.txt FILE...
# Exit status 1: a file includes a header of a room that rooms.txt lists after the file's own room,
# a file is in a folder that rooms.txt does not list, or a room has more than 30 files.
function room_of(path) {
    return path ~ /\// ? substr(path, 1, match(path, /\/[^\/]*$/) - 1) : "."
}
function complain(text) {
    print text
    bad = 1
}
FNR == NR {
    if ($0 !~ /^#/)
        level[$1] = ++levels
    next
}
FNR == 1 {
    room = room_of(FILENAME)
    if (!(room in level))
        complain(FILENAME ": the folder " room " is not a room of rooms.txt")
    else if (++files[room] == 31)
        complain(room ": more than 30 files: divide the room")
}
/^#include "/ {
    split($0, quoted, "\"")
    other = room_of(quoted[2])
    if (other in level && room in level && level[other] > level[room])
        complain(FILENAME ":" FNR ": includes " quoted[2] ", but rooms.txt lists " other " after " room)
}
END { exit bad }
