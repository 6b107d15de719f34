function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
print(fib(15), [3, 1, 2].sort(function (a, b) { return a - b; }));
print(JSON.stringify({ a: [1, 'x', null, { b: true }], d: 1.5e10 }, null, 1));
print(JSON.parse('[1, {"k": "v\\u00e4"}]')[1].k);
try { null.x; } catch (e) { print(e instanceof TypeError, e.name); }
try { JSON.parse('{bad'); } catch (e) { print(e.name); }
try { (function f() { f(); })(); } catch (e) { print(e.name); }
function nested(n) {
    try { if (n === 0) throw new Error('deep'); nested(n - 1); }
    finally { nested.count = (nested.count || 0) + 1; }
}
try { nested(20); } catch (e) { print(e.message, nested.count); }
print('the quick brown fox'.replace(/(\w+) (\w+)/g, '$2 $1'),
    'a1b22c333'.match(/\d+/g), /^(a|b)*?c$/.test('ababc'));
var o = { get x() { return this._x * 2; }, set x(v) { this._x = v; } };
o.x = 21;
print(o.x, Object.keys(o), 'x' in o, delete o._x, o.x);
function Animal(n) { this.n = n; }
Animal.prototype.speak = function () { return this.n + ' speaks'; };
function Dog(n) { Animal.call(this, n); }
Dog.prototype = Object.create(Animal.prototype);
print(new Dog('Rex').speak(), new Dog('x') instanceof Animal);
print([1, 2, 3, 4].map(function (x) { return x * x; })
    .filter(function (x) { return x % 2; })
    .reduce(function (a, b) { return a + b; }, 100));
print(parseInt('ff', 16), (255).toString(2), (3.14159).toFixed(2), 0.1 + 0.2,
    1 / 0, NaN === NaN, -7 % 3, 1 << 31, -1 >>> 0, Math.pow(2, 0.5));
var counter = (function () { var n = 0; return function () { return ++n; }; })();
counter(); counter();
print(counter(), typeof counter, void 0, [1, [2, [3]]].toString());
label: for (var i = 0; i < 5; i++) {
    for (var j = 0; j < 5; j++) {
        if (j === 3) continue label;
        if (i === 3) break label;
    }
}
print(i, j);
switch (i) { case 1: print('one'); case 3: print('three'); default: print('d'); }
var t = new Duktape.Thread(function (x) {
    for (var k = 0; k < 3; k++) x = Duktape.Thread.yield(x + k);
    return 'done';
});
for (var r = 10, k = 0; k < 4; k++) { r = Duktape.Thread.resume(t, r); print(r); }
print(eval('1 + ' + '2'), new Function('a', 'b', 'return a * b')(6, 7));
print(new Date(Date.UTC(2000, 1, 29, 12)).toISOString());
var p = new Proxy({}, { get: function (t, n) { return 'got ' + n; } });
print(p.anything, encodeURIComponent('a b&ä'), escape('ü'));
var u = new Uint8Array([1, 2, 300]);
print(u[2], u.length, new DataView(u.buffer).getUint16(0));
print([5, 1, 4].concat([2], 3).reverse().slice(1, -1).join('-'));
with ({ w: 'with' }) { print(w); }
print(Object.getOwnPropertyNames(Math).length > 10, isNaN('x'), arguments_of(1, 2));
function arguments_of() { return arguments.length; }
Duktape.gc();
var s = ''; for (i = 0; i < 300; i++) s += String.fromCharCode(65 + i % 26);
print(s.length, s.lastIndexOf('Z'), s.split('A').length);
