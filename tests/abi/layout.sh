# docs/abi.md gives every field and constant of abi.h with its true place.
header=$TOP/include/fermata/abi.h
sed -n '/^## Layout/,$p' "$TOP/docs/abi.md" | sed -n '/^```$/,/^```$/p' |
    grep -v '^```' >said

# One line for each struct field, struct size and constant of the header.
{
    cat <<'E'
#include <stdio.h>
#include <fermata/abi.h>
#define F(s, f) printf(#s "." #f " %zu %zu\n", offsetof(struct s, f), \
                       sizeof ((struct s *)0)->f);
#define S(s) printf(#s " %zu\n", sizeof(struct s));
#define C(c) printf(#c " %d\n", (int)(c));
int main(void) {
E
    sed 's,/\*.*\*/,,' "$header" | awk '
        /^struct [a-z_]+ \{/ { s = $2; next }
        /^}/ { if (s != "" && s != "fm_record") print "S(" s ")"
               s = "" }
        s != "" && s != "fm_scope" && /;/ && !/opaque/ {
            sub(/;.*/, ""); sub(/.*[ *]/, ""); print "F(" s ", " $0 ")" }
        /^#define FM_[A-Z_]+ +[0-9]/ { print "C(" $2 ")" }'
    echo 'return 0; }'
} >t.c
clang-19 -I"$TOP/include" -o t t.c && ./t | sort >is
test "$(wc -l <is)" -gt 25 || { echo "the header was not read"; exit 1; }
sort said | diff - is
