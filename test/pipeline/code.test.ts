import { afterEach, expect, test } from 'vitest';
import { openWorld, type World } from './world.ts';

let world: World;
afterEach(() => world.close());

const samples: Readonly<Record<string, readonly [string, string]>> = {
  'a.ts': [
    'export interface I { a(): void }\nexport class C {\n  m() {}\n}\nconst f = () => 1;\nfunction g() {}\nenum E { A }\n',
    'interface I 1\n    method a 1\n  class C 2-4\n    method m 3\n  function f 5\n  function g 6\n  enum E 7\n',
  ],
  'a.tsx': ['export function F() {\n  return <a />;\n}\n', 'function F 1-3\n'],
  'a.js': [
    'class A {\n  m() {}\n}\nconst h = function () {};\n',
    'class A 1-3\n    method m 2\n  function h 4\n',
  ],
  'a.py': [
    'class A:\n    def m(self):\n        pass\n\ndef f():\n    pass\n',
    'class A 1-3\n    method m 2-3\n  function f 5-6\n',
  ],
  'a.rs': [
    'struct S;\nimpl S {\n    fn m(&self) {}\n}\nfn f() {}\n',
    'struct S 1\n  module S 2-4\n    method m 3\n  function f 5\n',
  ],
  'a.go': [
    'package a\n\ntype S struct{}\n\nfunc (s *S) M() {}\n\nfunc F() {}\n',
    'struct S 3\n  method S.M 5\n  function F 7\n',
  ],
  'A.java': [
    'class A {\n  void m() {}\n  interface B {}\n}\n',
    'class A 1-4\n    method m 2\n    interface B 3\n',
  ],
  'a.c': ['struct s { int a; };\nint *f(int a) {\n  return 0;\n}\n', 'struct s 1\n  function f 2-4\n'],
  'a.cpp': [
    'namespace n {\nclass A {\n  int k() { return 1; }\n};\n}\n',
    'module n 1-5\n    class A 2-4\n      method k 3\n',
  ],
  'a.rb': [
    'module M\n  class A\n    def m; end\n  end\nend\n',
    'module M 1-5\n    class A 2-4\n      method m 3\n',
  ],
  'a.php': [
    '<?php\nclass B {\n  function m() {}\n}\nfunction f() {}\n',
    'class B 2-4\n    method m 3\n  function f 5\n',
  ],
  'a.swift': ['class A {\n  func m() {}\n}\nstruct S {}\n', 'class A 1-3\n    method m 2\n  struct S 4\n'],
  'a.kt': ['class A {\n  fun m() {}\n}\nfun f() {}\n', 'class A 1-3\n    method m 2\n  function f 4\n'],
  'a.cs': ['class A {\n  void M() {}\n}\n', 'class A 1-3\n    method M 2\n'],
  'a.sh': ['f() {\n  echo\n}\n', 'function f 1-3\n'],
};

test('ctree_generate outlines each language', async () => {
  world = await openWorld({
    files: Object.fromEntries(Object.entries(samples).map(([path, [source]]) => [path, source])),
  });

  const { stdout } = await world.pipe('ctree_generate', { timeout_ms: 120_000 });

  const names = Object.keys(samples).sort();
  expect(stdout).toBe(`# ctree .\n${names.map((name) => `${name}\n  ${samples[name]?.[1]}`).join('')}`);
});

test('ctree_check says what was added, removed and moved since the outline was saved', async () => {
  world = await openWorld({ files: { 'src/a.ts': 'class A {\n  m() {}\n}\nfunction f() {}\n' } });
  await world.pipe('ctree_generate src | tee .ctree');
  expect(await world.pipe('ctree_check')).toMatchObject({ stdout: '', meta: { steps: [{ exit_code: 0 }] } });

  world.put('src/a.ts', '\nclass A {\n  n() {}\n}\n');
  world.put('src/b.ts', 'function g() {}\n');
  const reply = await world.pipe('ctree_check');

  expect(reply.meta.steps[0].exit_code).toBe(1);
  expect(reply.stdout.split('\n').filter(Boolean).sort()).toEqual([
    '+ src/a.ts: method A/n 3',
    '+ src/b.ts',
    '+ src/b.ts: function g 1',
    '- src/a.ts: function f 4',
    '- src/a.ts: method A/m 2',
    '~ src/a.ts: class A 1-3 -> 2-4',
  ]);
});

test('serena_find_symbol finds definitions by name path, kind and part, with their bodies', async () => {
  world = await openWorld({
    files: {
      'src/a.ts': 'class Cart {\n  add() {\n    return 1;\n  }\n}\nfunction add() {}\nfunction addAll() {}\n',
      'lib/b.py': 'class Cart:\n    def add(self):\n        pass\n',
    },
  });
  const find = async (args: string) => (await world.pipe(`serena_find_symbol ${args}`)).stdout;

  expect(await find('Cart/add')).toBe('lib/b.py:2:method Cart/add\nsrc/a.ts:2:method Cart/add\n');
  expect(await find('/add src')).toBe('src/a.ts:6:function add\n');
  expect(await find('--substring add src --kind function')).toBe(
    'src/a.ts:6:function add\nsrc/a.ts:7:function addAll\n',
  );
  expect(await find('--body Cart/add src/a.ts')).toBe(
    'src/a.ts:2:method Cart/add\n  add() {\n    return 1;\n  }\n',
  );
  expect(await find('Cart lib --depth 1')).toBe('lib/b.py:1:class Cart\nlib/b.py:2:method Cart/add\n');
  expect(await find('nothing')).toBe('');
});

test('what was parsed is not parsed again, in this process or the next', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [
      `src/f${index}.ts`,
      `export class C${index} {\n  m() {}\n}\n`,
    ]),
  );
  world = await openWorld({ files });
  const first = await world.pipe('ctree_generate src', { timeout_ms: 120_000 });
  await world.reopen();

  const second = await world.pipe('ctree_generate src');

  expect(second.stdout).toBe(first.stdout);
  expect(second.stdout.split('\n').length).toBeGreaterThan(900);
});
