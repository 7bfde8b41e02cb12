import { afterEach, expect, test } from 'vitest';
import { openWorld, type World } from './world.ts';

let world: World;
afterEach(() => world.close());

const samples: Readonly<Record<string, readonly [source: string, outline: readonly string[]]>> = {
  'a.ts': [
    `import { x } from 'y';
export const LIMITS = { a: 1 };
const { p, q } = LIMITS;
let count = 0;
export class C {
  handler = async () => {};
  static make = function () {};
  plain = 1;
}
export default class {
  m() {}
}
const table = {
  method() {},
  arrow: () => {},
};
`,
    [
      'constant LIMITS 2',
      'class C 5-9',
      '  method handler 6',
      '  method make 7',
      'class default 10-12',
      '  method m 11',
      'constant table 13-16',
      '  method method 14',
      '  method arrow 15',
    ],
  ],
  'b.js': [
    `const fs = require('node:fs');
exports.read = () => {};
module.exports.write = function () {};
F.prototype.m = function () {};
const K = class Named {
  y = () => {};
};
export default function () {}
`,
    [
      'function read 2',
      'function write 3',
      'function F.m 4',
      'class K 5-7',
      '  method y 6',
      'function default 8',
    ],
  ],
  'c.c': [
    '#define GUARD\n#define MAX 10\n#define SQ(x) ((x) * (x))\ntypedef int (*callback)(int);\nint (*chosen(int x))(int) { return 0; }\nstruct s { int (*cb)(void); };\n',
    ['macro MAX 2', 'macro SQ 3', 'type callback 4', 'function chosen 5', 'struct s 6'],
  ],
  'd.hpp': [
    'class V {\n public:\n  V();\n  ~V();\n  void m() const;\n  T& at(int i);\n  operator bool() const;\n  int field;\n  int (*cb)(int);\n};\n',
    [
      'class V 1-10',
      '  method V 3',
      '  method ~V 4',
      '  method m 5',
      '  method at 6',
      '  method operator bool 7',
    ],
  ],
  'e.kt': [
    'const val K = 1\nclass A {\n  val p: Int = 1\n  fun m() {\n    val local = 1\n  }\n}\n',
    ['property K 1', 'class A 2-7', '  property p 3', '  method m 4-6'],
  ],
  'f.py': ['LIMIT = 1\nname = 2\ndef f():\n    INSIDE = 1\n', ['constant LIMIT 1', 'function f 3-4']],
  'g.rb': [
    "LIMIT = 1\nclass A::B\n  NAME = 'x'\nend\n",
    ['constant LIMIT 1', 'class A::B 2-4', '  constant NAME 3'],
  ],
  'h.php': [
    '<?php\nconst C = 1;\nclass A {\n  const Z = 1;\n}\n',
    ['constant C 2', 'class A 3-5', '  constant Z 4'],
  ],
  'i.cs': [
    'class A {\n  delegate void Del();\n  ~A() {}\n  void M() {\n    void L() {}\n  }\n}\n',
    ['class A 1-7', '  type Del 2', '  method ~A 3', '  method M 4-6', '    function L 5'],
  ],
  'j.swift': ['typealias Al = Int\n', ['type Al 1']],
};

test('what is defined by an assignment, a declaration or a macro is in the outline', async () => {
  world = await openWorld({
    files: Object.fromEntries(Object.entries(samples).map(([path, [source]]) => [path, source])),
  });

  const { stdout } = await world.pipe('ctree_generate', { timeout_ms: 120_000 });

  const expected = Object.entries(samples).map(([path, [, lines]]) =>
    [path, ...lines.map((line) => `  ${line}`), ''].join('\n'),
  );
  expect(stdout).toBe(`# ctree .\n${expected.join('')}`);
});

test('a generic type is found by its bare name, and a name of C++ by its path', async () => {
  world = await openWorld({
    files: {
      'a.rs':
        'impl<T> Stack<T> {\n  fn push() {}\n}\nimpl<T> From<Vec<T>> for Stack<T> {\n  fn from() {}\n}\n',
      'b.cpp': 'template <typename T> void Box<T>::open() {}\nint ns::free() { return 1; }\n',
      'c.ts': 'A.prototype.draw = function () {};\n',
    },
  });
  const find = async (name: string) => (await world.pipe(`serena_find_symbol ${name}`)).stdout;

  expect(await find('Stack/push')).toBe('a.rs:2:method Stack<T>/push\n');
  expect(await find('Stack/from')).toBe('a.rs:5:method From<Vec<T>> for Stack<T>/from\n');
  expect(await find('Box/open')).toBe('b.cpp:1:function Box<T>/open\n');
  expect(await find('ns/free')).toBe('b.cpp:2:function ns/free\n');
  expect(await find('A/draw')).toBe('c.ts:1:function A/draw\n');
});
