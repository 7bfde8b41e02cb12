import { expect, test } from 'vitest';
import { judgeAwk } from './awk-program.ts';

test.each([
  ['{print $1}', []],
  ['$3 > 5 {print $1, ($2 > 3)}', []],
  ['{ if ($1 > 2) x = $1 / $2; print x }', []],
  ['/a|b/ { n++ } END { print n+0 }', []],
  ['$0 ~ /[/]/ { print "a > b | c" }', []],
  ['{ print > 1 ? "x" : "y" }', undefined],
  ['{ printf "%s|%s\\n", $1, $2 }', []],
  ['# print > "x"\n{ print }', []],
  ['BEGIN { while ((getline line < "w.txt") > 0) n++ }', ['w.txt']],
  ['{ getline; getline x; getline a[1]; getline $2 } 1', []],
  ['{ getline x < ("a" "b") }', undefined],
  ['{ "date" | getline }', undefined],
  ['{ x = "system"; print x }', []],
  ['function f(a) { return a * 2 } { print f($1) }', []],
  ['BEGIN { PROCINFO["sorted_in"] = "@ind_str_asc"; for (k in a) print k }', []],
  ['{ a["x|y"] = 1; print length / 2 }', []],
])('%s reads %j', (program, reads) => {
  const verdict = judgeAwk(program);
  expect(verdict.ok ? verdict.reads : undefined).toEqual(reads);
});
