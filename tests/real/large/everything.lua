local t = {}
for i=1,200 do t[i] = (i*7919)%1009 end
table.sort(t, function(a,b) return a<b end)
print(table.concat(t, ",", 1, 20))
local co = coroutine.wrap(function(a) for i=1,10 do a = coroutine.yield(a*i) end end)
for i=1,5 do io.write(co(i)," ") end print()
print(pcall(error, {1}))
print(pcall(function() local x = nil; x.y = 1 end))
print(string.format("%5.2f %q %s", 3.14159, "a\nb", {} ~= nil))
for w in string.gmatch("the quick brown fox", "%a+") do io.write(w, ";") end print()
print(string.gsub("hello world", "o", {o="0"}))
local function fib(n) if n<2 then return n end return fib(n-1)+fib(n-2) end
print(fib(20))
local mt = setmetatable({}, {__index=function(t,k) return k..k end, __gc=function() end, __close=function() print("closed") end})
print(mt.ab)
do local x <close> = mt end
print(select('#', table.unpack({1,2,3})))
goto done
print("no")
::done::
print(load("return 1+1")())
collectgarbage()
print(#string.rep("ab", 1000), os.time{year=2000,month=1,day=1,hour=12})
print(string.pack("<i4", 100):byte(1,-1))
print(utf8.char(228, 8364), utf8.len("äö"))
print(pcall(string.rep, "x", -1), math.type(3.0), 7//2, 7.5//2, 2^53 | 0)
local ok, e = pcall(function() error(setmetatable({}, {__tostring=function() return "E" end})) end) print(ok, tostring(e))
local function deep(n) if n == 0 then return 0 end return 1 + deep(n-1) end
print(deep(1000), pcall(function() local function f() return 1 + f() end return f() end))
os.exit(3)
