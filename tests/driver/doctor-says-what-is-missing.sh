# fermata doctor works where TMPDIR says, leaves nothing, and says what lacks.
doctor=${CC%-cc}
mkdir here
TMPDIR=$PWD/here "$doctor" doctor >said || { cat said; exit 1; }
grep -qx 'This machine is able.' said
[ -z "$(ls here)" ] || { echo "it leaves behind:"; ls here; exit 1; }
if TMPDIR=$PWD/nowhere "$doctor" doctor >said; then
    echo "it is content with a folder that is not there"
    exit 1
fi
grep -q "^MISSING .*$PWD/nowhere" said && grep -q 'set TMPDIR' said
