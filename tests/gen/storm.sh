# Random async programs with faults and cleanups do the same at every level.
# time: 1200
# needs: python3
"$TOP/tests/gen/readings" --jobs 1 --kind storm
