# The examples run for real, and words counts this machine's texts as wc does.
# time: 120
"$TOP/tools/run-examples" >out 2>err || { tail -20 err; exit 1; }
grep -q 'texts counted, all as wc counts them' out || { cat out; exit 1; }
grep -q '500 ms of brewing in 300' out || { cat out; exit 1; }
