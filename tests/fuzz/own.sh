# Random async programs do what their plain spelling does, read in every way.
# time: 900
# needs: python3
"$TOP/tests/fuzz/own/fuzz" check ${FIRST:-1000000} ${PROGRAMS:-60}
