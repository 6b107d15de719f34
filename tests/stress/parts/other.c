static int deeper(int n) { return n ? 1 + deeper(n - 1) : 0; }

int other(int n) { return deeper(n) * 10; }
