# Every type in every place of a call is right, suspended or not.
# time: 1200
# needs: python3
"$TOP/tests/gen/readings" --jobs 1 --kind shapes
