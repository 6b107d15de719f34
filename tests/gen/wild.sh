# Random async programs print what plain C prints.
# time: 1200
# needs: python3
"$TOP/tests/gen/readings" --jobs 1 --kind wild
