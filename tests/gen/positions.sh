# An await in every position of the grammar is what plain C is.
# time: 1200
# needs: python3
"$TOP/tests/gen/readings" --jobs 1 --kind positions
