# Every public name has a page, every page the sections that a caller needs.
here=$PWD
cd "$TOP" || exit 1
headers=$(ls include/fermata.h include/fermata/*.h |
    grep -v -e /abi.h -e /version.h -e /cplusplus.h)
{
    sed -n 's/^#define \(\(fm_\|FM_\)[A-Za-z0-9_]*\).*/\1/p' $headers
    grep -ohE '\bfm_[a-z0-9_]+\(' $headers | tr -d '('
    grep -ohE '\bfm_[a-z0-9_]+;$' $headers | tr -d ';'
} | grep -v -e '^fm_reactor$' -e '^fm__' -e '^fm_abi_' -e '^FM__' -e '^FM_ABI' | sort -u >"$here/names"
sed -n 's/^\.Nm \([^ ]*\).*/\1/p' docs/man/*.[37] | sort -u >"$here/paged"
bad=$(cd "$here" && comm -23 names paged)
[ -z "$bad" ] || { echo "no page in docs/man has the name(s):" $bad; exit 1; }
[ "$(wc -l <"$here/names")" -gt 100 ] || { echo "few names were found"; exit 1; }
for page in docs/man/*.3; do
    for section in SYNOPSIS DESCRIPTION 'RETURN VALUES' OWNERSHIP THREADS; do
        grep -qx "\.Sh $section" "$page" ||
            { echo "$page has no section $section"; exit 1; }
    done
done
cd docs/man || exit 1
if command -v mandoc >/dev/null; then
    # clang's own page need not be installed.
    mandoc -Tlint -W style *.[137] | grep -v 'clang[( ]1' && exit 1
elif command -v groff >/dev/null; then
    groff -mdoc -Tutf8 -ww -z *.[137] 2>&1 | grep . && exit 1
else
    echo "neither mandoc nor groff"
    exit 77
fi
exit 0
