.bail off
PRAGMA page_size = 1024;
CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE UNIQUE, x REAL,
    b BLOB, CHECK (x >= 0));
CREATE INDEX t_x ON t(x DESC) WHERE x > 10;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
INSERT INTO t SELECT i, 'name' || i, (i * 7919) % 1009 / 3.0,
    zeroblob(i % 50) FROM n;
SELECT count(*), sum(x), avg(x), total(length(b)), min(name), max(name) FROM t;
SELECT id, name, round(x, 2) FROM t WHERE x BETWEEN 20 AND 22 ORDER BY x, id;
SELECT id % 7 AS k, group_concat(id, '+') FILTER (WHERE id < 40) FROM t
    GROUP BY k HAVING count(*) > 3 ORDER BY k DESC;
SELECT id, x, rank() OVER w, lag(x, 1, -1) OVER w, sum(x) OVER (ORDER BY id
    ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING) FROM t WHERE id < 12
    WINDOW w AS (PARTITION BY id % 2 ORDER BY x) ORDER BY id;
INSERT INTO t(name, x) VALUES('NAME7', 1);
INSERT OR IGNORE INTO t(name, x) VALUES('NAME8', 1);
INSERT INTO t(name, x) VALUES('name9', 5) ON CONFLICT(name)
    DO UPDATE SET x = excluded.x + t.x RETURNING id, x;
INSERT INTO t(name, x) VALUES('negative', -1);
CREATE TABLE log(what TEXT, old, new);
CREATE TRIGGER t_u AFTER UPDATE OF x ON t WHEN new.x <> old.x BEGIN
    INSERT INTO log VALUES('x' || new.id, old.x, new.x);
    SELECT CASE WHEN new.x > 5000 THEN RAISE(ABORT, 'too much') END;
END;
UPDATE t SET x = x * 2 WHERE id % 50 = 0;
UPDATE t SET x = 6000 WHERE id = 3;
SELECT * FROM log ORDER BY what;
BEGIN; DELETE FROM t WHERE id > 10; SAVEPOINT s; DELETE FROM t;
SELECT count(*) FROM t; ROLLBACK TO s; SELECT count(*) FROM t; ROLLBACK;
SELECT count(*) FROM t;
CREATE VIEW v AS SELECT a.id AS one, b.id AS two FROM t a JOIN t b
    ON b.id = a.id * 2 LEFT JOIN log ON what = 'x' || b.id;
SELECT count(*), sum(two) FROM v;
SELECT * FROM (VALUES(1, 'a'), (2, 'b'), (3, NULL)) EXCEPT SELECT 2, 'b';
SELECT json_extract('{"a": [1, {"b": "c"}]}', '$.a[1].b'),
    json_group_array(id) FROM t WHERE id < 5;
SELECT key, value, type FROM json_tree('[1, "two", {"three": null}]');
SELECT printf('%08.3f|%-5s|%+d|%x|%q', 3.14159, 'ab', 5, 255, 'it''s'),
    hex(zeroblob(2)), typeof(1 / 2), 7 % 3, 1e308 * 10, abs(-5),
    replace('banana', 'an', 'AN'), instr('haystack', 'st'), char(228, 8364),
    unicode('ä'), quote(x'00ff'), substr('hello', -3, 2), trim('  x ');
SELECT date('2024-02-28', '+2 days'), strftime('%W %j %w', '2023-12-31'),
    julianday('2000-01-01'), time('12:00', '-90 minutes'),
    unixepoch('2001-09-09 01:46:40');
SELECT 'abc' LIKE 'A%', 'abc' GLOB 'a?c', 'x' IN (SELECT name FROM t),
    CASE 5 WHEN 4 THEN 'four' ELSE 'else' END, NULL IS NOT 1,
    EXISTS (SELECT 1 FROM t WHERE x > 300), CAST('12abc' AS INTEGER);
CREATE VIRTUAL TABLE f USING fts4(body);
INSERT INTO f SELECT 'the quick brown fox ' || name || ' jumps' FROM t
    WHERE id < 30;
SELECT rowid, snippet(f, '<', '>') FROM f WHERE f MATCH 'quick NEAR name12';
CREATE VIRTUAL TABLE r USING rtree(id, x0, x1, y0, y1);
INSERT INTO r SELECT id, x, x + 5, id, id + 2 FROM t;
SELECT count(*) FROM r WHERE x0 > 50 AND x1 < 90 AND y0 < 200;
ALTER TABLE t ADD COLUMN extra DEFAULT 'none';
ALTER TABLE t RENAME COLUMN b TO blob_of_t;
SELECT sql FROM sqlite_schema WHERE name = 't';
EXPLAIN QUERY PLAN SELECT * FROM t WHERE x > 20 AND name = 'name3';
CREATE TABLE g(a INT, b INT GENERATED ALWAYS AS (a * 2) STORED, c AS (b + 1));
INSERT INTO g(a) VALUES(5), (6); SELECT * FROM g;
ATTACH 'other.db' AS o; CREATE TABLE o.t AS SELECT * FROM t WHERE id < 20;
SELECT count(*) FROM o.t, main.t WHERE o.t.id = main.t.id;
SELECT nothing FROM t;
SELECT FROM;
SELECT max(1, 2, 3), likely(1), iif(0, 'a', 'b'), sqlite_version() > '3';
ANALYZE; REINDEX; VACUUM; PRAGMA integrity_check; PRAGMA foreign_key_check;
.mode csv
SELECT id, name, x FROM t LIMIT 3;
.mode column
.headers on
SELECT id, name, x FROM t LIMIT 3 OFFSET 3;
.mode json
SELECT id, name, NULL FROM t LIMIT 2;
.schema log
.dump g
.tables
.indexes
.sha3sum
.exit 3
