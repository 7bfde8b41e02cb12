import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DryRunChange, Effects, Losses } from '../../../contract/capabilities/dry-run.ts';
import type { EffectRule, RequestFacts } from '../../../contract/effects.ts';
import { ConfigError } from '../../../contract/error.ts';
import type { Mode } from '../../../contract/policy.ts';
import { createEffectRules } from './decide.ts';

type Said = Partial<DryRunChange> & Pick<DryRunChange, 'path'>;

const nothing: Losses = {
  files: 0,
  earlier: 0,
  withKept: 0,
  of: 200,
  repositories: [],
  names: [],
  obeyed: [],
};

function effectsOf(changes: readonly Said[], unlisted = 0, losses: Partial<Losses> = {}): Effects {
  const whole = changes.map((change) => ({
    ...({ root: '/workspace', change: 'changed', kind: 'file' } as const),
    ...change,
  }));
  return { changes: whole, total: whole.length + unlisted, losses: { ...nothing, ...losses } };
}

/** The rules for a command that is tried. */
function createDecideEffects(rules: readonly EffectRule[], isTried = true, mode: Mode = 'workspace-write') {
  const { decide } = createEffectRules(rules, mode);
  return (effects: Effects) => decide(effects, isTried);
}

const gone = (count: number): readonly Said[] =>
  Array.from({ length: count }, (_, index) => ({ path: `a/${index}.txt`, change: 'deleted' }));

const deletes: EffectRule = { effect: { deletes: '> 20 files' }, then: 'ask' };
const github: EffectRule = { effect: { writes: '.github/**' }, then: 'deny', because: 'CI is ours' };
const outside: EffectRule = { effect: { outside: ['src/**', 'test/**'] }, then: 'ask' };

describe('rules of the operator', () => {
  test.each<[string, EffectRule, Effects, string]>([
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
    const folder = (path: string): Effects =>
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
    const many = { files: 30, withKept: 30 };
    expect(createDecideEffects([])(effectsOf(inDist, 0, many)).decision).toBe('ask');
    expect(createDecideEffects([builds])(effectsOf(inDist, 0, many)).decision).toBe('allow');
    expect(createDecideEffects([builds])(effectsOf([...inDist, { path: 'x' }], 0, many)).decision).toBe(
      'ask',
    );
    expect(createDecideEffects([builds])(effectsOf(inDist, 1, many)).decision).toBe('ask');
    expect(createDecideEffects([builds, deletes])(effectsOf(inDist, 0, many)).decision).toBe('ask');
  });

  test.each<[string, EffectRule]>([
    ['an allow of anything but writes', { effect: { deletes: '> 20 files' }, then: 'allow' }],
    ['a glob without end', { effect: { writes: 'x'.repeat(2000) }, then: 'ask' }],
  ])('%s is no rule', (_name, rule) => {
    expect(() => createDecideEffects([{ id: 'mine', ...rule }])).toThrow(ConfigError);
    expect(() => createDecideEffects([{ id: 'mine', ...rule }])).toThrow(/^mine: /);
  });
});

describe('rules about requests', () => {
  const decide = (effect: EffectRule['effect'], then: EffectRule['then'] = 'deny') => {
    const { decideRequest } = createEffectRules([{ effect, then }], 'workspace-write');
    return (path: string, more: Partial<RequestFacts> = {}) =>
      decideRequest({ kind: 'send', host: 'api.test', path, bodyBytes: 5, ...more })?.decision;
  };

  test.each([
    '/repos/a',
    '/REPOS/a?x=1',
    '/%72epos/a',
    '/%2572epos/a',
    '//repos/a',
    '/x/../repos/a',
    '/x/%2e%2e/repos/a',
    '/x/..%2frepos/a',
    '/x\\..\\repos\\a',
  ])('a deny fits %s, as a server may read it', (path) => {
    expect(decide({ sends: 'api.test/repos/**' })(path)).toBe('deny');
  });

  test('an allow fits only what all servers read alike', () => {
    const allowed = decide({ sends: 'api.test/repos/ours/**' }, 'allow');
    expect(['/repos/ours', '/repos/ours/a?b=c'].map((path) => allowed(path))).toEqual(['allow', 'allow']);
    const odd = [
      '/repos/ours/../x',
      '/repos/ours/%2e%2e/x',
      '/repos/ours/..%2fx',
      '/repos//ours/x',
      '/repos/ours\\x',
    ];
    expect(
      [...odd, '/repos/oursx', '/x?/repos/ours/a'].filter((path) => allowed(path) !== undefined),
    ).toEqual([]);
    expect(allowed('/repos/ours', { host: 'evil.test' })).toBeUndefined();
  });

  test('kinds and sizes fit, a body without a length being larger than any', () => {
    const kinds = decide({ sends: '*.test', kind: ['delete', 'rights'] });
    expect([kinds('/a'), kinds('/a', { kind: 'delete' })]).toEqual([undefined, 'deny']);
    const large = decide({ sends: '> 64 KiB' });
    const sizes = [65_536, 65_537, undefined];
    expect(sizes.map((bodyBytes) => large('/a', { bodyBytes }))).toEqual([undefined, 'deny', 'deny']);
    expect(decide({ sends: 'db.test:5432' })('', { host: 'db.test:5432' })).toBe('deny');
  });

  test.each<[string, EffectRule['effect'], EffectRule['then']]>([
    ['an allow of a size', { sends: '> 1 MB' }, 'allow'],
    ['an allow of a kind alone', { kind: ['send'] }, 'allow'],
    ['one about files too', { sends: 'a.test', writes: 'src/**' }, 'ask'],
  ])('%s is no rule', (_name, effect, then) => {
    expect(() => decide(effect, then)).toThrow(/^rules\[0\]: /);
  });
});

describe('the built-in rules', () => {
  test.each<[string, Partial<Losses>, string]>([
    ['a repository', { repositories: ['a/.git'] }, 'effect-breaks-repository'],
    ['21 files', { files: 21, withKept: 21 }, 'effect-loses-many'],
    ['20 files', { files: 20, withKept: 20 }, 'default'],
    ['21 files that git keeps', { withKept: 21 }, 'default'],
    ['1 file after 20', { files: 1, earlier: 20, withKept: 1 }, 'effect-loses-many'],
    ['1 file that history will not keep', { files: 1, unkept: 1, withKept: 1 }, 'effect-not-in-history'],
    ['a stash', { names: ['.git/refs/stash'] }, 'effect-git-history'],
    ['no file after 21', { earlier: 21 }, 'default'],
    ['3 of 4 files', { files: 3, withKept: 3, of: 4 }, 'default'],
    ['3 of 3', { files: 3, withKept: 3, of: 3 }, 'default'],
    ['4 of 4', { withKept: 4, of: 4 }, 'effect-loses-most'],
    ['9 of 10', { withKept: 9, of: 10 }, 'default'],
    ['10 of 20', { withKept: 10, of: 20 }, 'effect-loses-most'],
    ['10 of 21', { withKept: 10, of: 21 }, 'default'],
    ['a hook', { obeyed: ['.husky/pre-commit'] }, 'effect-runs-outside-later'],
    ['no change', {}, 'default'],
  ])('%s, whether it is tried or not', (_name, losses, rule) => {
    for (const isTried of [false, true])
      expect(createDecideEffects([], isTried)(effectsOf([], 0, losses))).toMatchObject({
        decision: rule === 'default' ? 'allow' : 'ask',
        rule,
      });
  });

  test('a mode that does not ask is asked nothing, but about what the operator has tried', () => {
    const effects = effectsOf([], 0, { repositories: ['.git'] });
    expect(createDecideEffects([], false, 'full-access')(effects).decision).toBe('allow');
    expect(createDecideEffects([], true, 'full-access')(effects).decision).toBe('ask');
    expect(createDecideEffects([deletes], false, 'full-access')(effectsOf(gone(21))).decision).toBe('ask');
  });

  test('more paths than can be listed are asked about only where it was tried', () => {
    const changes = [{ path: '.git/refs/heads/main' }];
    expect(createDecideEffects([])(effectsOf(changes)).rule).toBe('default');
    expect(createDecideEffects([])(effectsOf(changes, 1)).rule).toBe('effect-unlisted');
    expect(createDecideEffects([], false)(effectsOf(changes, 1)).rule).toBe('default');
  });
});

test('what is not listed may be a folder that takes any number of files along', () => {
  const decide = createDecideEffects([{ ...deletes, then: 'deny' }]);
  expect(decide(effectsOf([{ path: 'a' }], 1)).decision).toBe('deny');
  expect(decide(effectsOf([{ path: 'a' }])).decision).toBe('allow');
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
  const strictness = { allow: 0, ask: 1, deny: 2 } as const;
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

test('only a rule that names the kind listen is about a published port', () => {
  const port: RequestFacts = { kind: 'listen', host: 'localhost:3000', path: '', bodyBytes: 0 };
  const decided = (effect: EffectRule['effect'], then: EffectRule['then'] = 'allow') =>
    createEffectRules([{ effect, then }], 'workspace-write').decideRequest(port)?.decision;
  expect(decided({ sends: '**' })).toBeUndefined();
  expect(decided({ sends: 'localhost:3000' })).toBeUndefined();
  expect(decided({ kind: ['send', 'publish'] }, 'deny')).toBeUndefined();
  expect(decided({ sends: 'localhost:3000', kind: ['listen'] })).toBe('allow');
  expect(decided({ sends: 'localhost:*', kind: ['listen'] })).toBe('allow');
  expect(decided({ sends: 'localhost:4000', kind: ['listen'] })).toBeUndefined();
  expect(decided({ kind: ['listen'] }, 'deny')).toBe('deny');
});
