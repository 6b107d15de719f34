# Every public function of the static runtime is in the shared one too, and nothing else is.
names() { awk '$2 == "T" && $3 !~ /^fm__/ { print $3 }' | sort -u; }
nm "$TOP/build/lib/libfermata.a" 2>/dev/null | names >static
nm -D --defined-only "$TOP/build/lib/libfermata.so" | names >shared
grep -q '^fm_loop$' static || exit 1
diff static shared
