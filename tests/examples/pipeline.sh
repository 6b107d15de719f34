# examples/pipeline.c counts what went through its stages.
$CC -O2 -o pipeline "$TOP/examples/pipeline.c" || exit 1
[ "$(./pipeline)" = "6 words, 26 letters" ]
