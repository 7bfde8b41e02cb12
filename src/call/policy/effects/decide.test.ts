import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DryRun, DryRunChange } from '../../../contract/capabilities/dry-run.ts';
import type { EffectRule } from '../../../contract/effects.ts';
import { ConfigError } from '../../../contract/error.ts';
import { createDecideEffects } from './decide.ts';

type Said = Partial<DryRunChange> & Pick<DryRunChange, 'path'>;

function effectsOf(changes: readonly Said[], unlisted = 0): DryRun {
  const whole = changes.map((change) => ({
    ...({ root: '/workspace', change: 'changed', kind: 'file' } as const),
    ...((change.change ?? 'changed') === 'changed' && { lines: { added: 1, removed: 1 } }),
    ...change,
  }));
  return { changes: whole, total: whole.length + unlisted, filesBefore: 200, diff: '', isDiffCut: false };
}

const gone = (count: number): readonly Said[] =>
  Array.from({ length: count }, (_, index) => ({ path: `a/${index}.txt`, change: 'deleted' }));

const deletes: EffectRule = { effect: { deletes: '> 20 files' }, then: 'ask' };
const github: EffectRule = { effect: { writes: '.github/**' }, then: 'deny', because: 'CI is ours' };
const outside: EffectRule = { effect: { outside: ['src/**', 'test/**'] }, then: 'ask' };

describe('rules of the operator', () => {
  test.each<[string, EffectRule, DryRun, string]>([
    ['20 files', deletes, effectsOf(gone(20)), 'allow'],
    ['21 files', deletes, effectsOf(gone(21)), 'ask'],
    [
      'a folder of 21',
      deletes,
      effectsOf([{ path: 'a', change: 'deleted', kind: 'folder', files: 21 }]),
      'ask',
    ],
    [
      'a folder that was not counted',
      deletes,
      effectsOf([{ path: 'a', change: 'deleted', kind: 'folder' }]),
      'ask',
    ],
    ['files that are emptied', deletes, effectsOf(gone(21).map(({ path }) => ({ path, bytes: 0 }))), 'ask'],
    [
      'links in place of files',
      deletes,
      effectsOf(gone(21).map(({ path }) => ({ path, kind: 'symlink' }))),
      'ask',
    ],
    ['a workflow', github, effectsOf([{ path: '.github/workflows/ci.yml' }]), 'deny'],
    ['in another case', github, effectsOf([{ path: '.GitHub/x' }]), 'deny'],
    [
      'the folder goes',
      github,
      effectsOf([{ path: '.github', change: 'deleted', kind: 'folder', files: 1 }]),
      'deny',
    ],
    ['another folder', github, effectsOf([{ path: 'github/x' }]), 'allow'],
    ['all inside', outside, effectsOf([{ path: 'src/a.ts' }, { path: 'test/b.ts' }]), 'allow'],
    ['one outside', outside, effectsOf([{ path: 'src/a.ts' }, { path: 'README.md' }]), 'ask'],
    ['a deletion outside', outside, effectsOf([{ path: 'README.md', change: 'deleted' }]), 'ask'],
  ])('%s', (_name, rule, effects, decision) => {
    expect(createDecideEffects([rule])(effects).decision).toBe(decision);
  });

  test('a folder that goes may have held what a glob means', () => {
    const folder = (path: string): DryRun =>
      effectsOf([{ path, change: 'deleted', kind: 'folder', files: 1 }]);
    const decide = createDecideEffects([{ effect: { writes: 'packages/a/keys/*.pem' }, then: 'ask' }]);
    expect(
      ['packages', 'packages/a', 'packages/a/keys', 'Packages/A/keys/old'].map(
        (path) => decide(folder(path)).decision,
      ),
    ).toEqual(['ask', 'ask', 'ask', 'ask']);
    expect(['packages/b', 'package', 'src'].map((path) => decide(folder(path)).decision)).toEqual([
      'allow',
      'allow',
      'allow',
    ]);
    const anywhere = createDecideEffects([{ effect: { writes: '**/*.pem' }, then: 'ask' }]);
    expect(anywhere(folder('src')).decision).toBe('ask');
  });

  test('all keys of an effect must fit, and the strictest rule decides', () => {
    const both: EffectRule = { effect: { deletes: '> 1 file', writes: 'src/**' }, then: 'ask' };
    expect(createDecideEffects([both])(effectsOf(gone(2))).decision).toBe('allow');
    expect(createDecideEffects([both])(effectsOf([...gone(2), { path: 'src/a' }])).decision).toBe('ask');
    const decide = createDecideEffects([{ ...outside, id: 'mine' }, github]);
    expect(decide(effectsOf([{ path: '.github/x' }]))).toMatchObject({
      decision: 'deny',
      rule: 'rules[1]',
      because: { en: 'CI is ours' },
    });
  });

  test('an allow answers the built-in rules where it covers every change, and no rule of the operator', () => {
    const builds: EffectRule = { effect: { writes: 'dist/**' }, then: 'allow' };
    const inDist = gone(30).map(({ path, ...rest }) => ({ ...rest, path: `dist/${path}` }));
    expect(createDecideEffects([])(effectsOf(inDist)).decision).toBe('ask');
    expect(createDecideEffects([builds])(effectsOf(inDist)).decision).toBe('allow');
    expect(createDecideEffects([builds])(effectsOf([...inDist, { path: 'x' }])).decision).toBe('ask');
    expect(createDecideEffects([builds])(effectsOf(inDist, 1)).decision).toBe('ask');
    expect(createDecideEffects([builds, deletes])(effectsOf(inDist)).decision).toBe('ask');
  });

  test.each<[string, EffectRule]>([
    ['an allow of anything but writes', { effect: { deletes: '> 20 files' }, then: 'allow' }],
    ['a glob without end', { effect: { writes: 'x'.repeat(2000) }, then: 'ask' }],
  ])('%s is no rule', (_name, rule) => {
    expect(() => createDecideEffects([{ id: 'mine', ...rule }])).toThrow(ConfigError);
    expect(() => createDecideEffects([{ id: 'mine', ...rule }])).toThrow(/^mine: /);
  });
});

describe('the built-in rules', () => {
  test.each<[string, readonly Said[], string]>([
    ['a repository', [{ path: 'a/.git', change: 'deleted', kind: 'folder', files: 3 }], 'effect-git-history'],
    ['a stash', [{ path: '.git/refs/stash', change: 'deleted' }], 'effect-git-history'],
    ['an emptied log of git', [{ path: '.git/logs/HEAD', bytes: 0 }], 'effect-git-history'],
    ['21 files', gone(21), 'effect-deletes-many'],
    [
      'files that are no text any more',
      gone(21).map(({ path }) => ({ path, bytes: 9, lines: undefined })),
      'effect-replaces-many',
    ],
    ['a hook', [{ path: '.husky/pre-commit', change: 'created' }], 'effect-runs-outside-later'],
    [
      'a commit',
      [
        { path: '.git/refs/heads/main' },
        { path: '.git/logs/HEAD' },
        { path: '.git/index', lines: undefined, bytes: 9 },
      ],
      'default',
    ],
    ['a lock that is removed', [{ path: '.git/index.lock', change: 'deleted' }], 'default'],
    ['a hook that is removed', [{ path: '.husky/pre-commit', change: 'deleted' }], 'default'],
    ['no change', [], 'default'],
  ])('%s', (_name, changes, rule) => {
    expect(createDecideEffects([])(effectsOf(changes))).toMatchObject({
      decision: rule === 'default' ? 'allow' : 'ask',
      rule,
    });
  });
});

test.each([
  [1, 1, 'ask'],
  [1, 2, 'allow'],
  [2, 4, 'allow'],
  [3, 6, 'ask'],
  [3, 7, 'allow'],
  [15, 30, 'ask'],
  [0, 0, 'allow'],
])('%i of %i files that go: %s', (count, filesBefore, decision) => {
  expect(createDecideEffects([])({ ...effectsOf(gone(count)), filesBefore })).toMatchObject({
    decision,
    rule: decision === 'ask' ? 'effect-deletes-most' : 'default',
  });
});

test('a list that was cut never makes an answer milder', () => {
  const path = fc.constantFrom(
    'src/a',
    'src/b.pem',
    '.github/x',
    '.git/refs/x',
    'README.md',
    '.envrc',
    'a/b/c',
  );
  const change = fc.record({
    path,
    change: fc.constantFrom('deleted' as const, 'created' as const, 'changed' as const),
    kind: fc.constantFrom('file' as const, 'folder' as const, 'symlink' as const),
    files: fc.integer({ min: 0, max: 40 }),
    bytes: fc.integer({ min: 0, max: 2 }),
  });
  const rule = fc.constantFrom<EffectRule>(
    deletes,
    github,
    outside,
    { effect: { writes: 'src/**' }, then: 'allow' },
    { effect: { deletes: '> 1 file', outside: ['src/**'] }, then: 'deny' },
  );
  const strictness = { allow: 0, ask: 1, deny: 2 };
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 30 }),
      fc.array(rule, { maxLength: 3 }),
      fc.nat(30),
      (all, rules, kept) => {
        const decide = createDecideEffects(rules);
        const cut = effectsOf(all.slice(0, kept), Math.max(0, all.length - kept));
        expect(strictness[decide(cut).decision]).toBeGreaterThanOrEqual(
          strictness[decide(effectsOf(all)).decision],
        );
      },
    ),
  );
});
