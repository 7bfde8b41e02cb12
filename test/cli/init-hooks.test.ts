import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { withEntries, withoutEntries } from '../../src/cli/init/hook-entries.ts';
import { hookedClients } from '../../src/cli/init/hooked-clients.ts';
import { runCommand } from '../support/run-command.ts';

let home = '';
let config = '';
beforeAll(async () => {
  enterHome();
  await sekisho('init', '--yes', '--root', join(home, 'project'));
  config = readFileSync(join(home, configFile), 'utf8').replaceAll(home, '{home}');
  leaveHome();
});
beforeEach(() => {
  enterHome();
  mkdirSync(join(home, dirname(configFile)), { recursive: true });
  writeFileSync(join(home, configFile), config.replaceAll('{home}', home));
});
afterEach(leaveHome);

const configFile = '.config/sekisho/sekisho.jsonc';

/** A person who has a project. */
function enterHome(): void {
  home = mkdtempSync(join(tmpdir(), 'sekisho-init-hooks-'));
  mkdirSync(join(home, 'project'));
}

function leaveHome(): void {
  rmSync(home, { recursive: true, force: true });
}

const sekisho = (...args: string[]) => runCommand(args, join(home, 'project'), { HOME: home });

const strange: readonly (readonly [name: string, words: string])[] = [
  ['an empty object', '{}'],
  ['nothing at all', ''],
  [
    "a person's own hooks",
    '{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"mine"}]}]}}',
  ],
  [
    'comments, tabs and commas',
    '// mine\n{\n\t"permissions": { "deny": ["Bash(rm *)"], }, /* keep */\n\t"hooks": {\n\t\t// none yet\n\t},\n}\n',
  ],
  ['Windows lines and four spaces', '{\r\n    "model": "opus",\r\n\r\n\r\n    "env": {"A":   "b"}\r\n}'],
  ['one line with Japanese', '{"language":"日本語","hooks":{"Stop":[]}}\n\n'],
];

/** Each client meets two of them here, and each of them a client or two; how texts change is tried for all below. */
const met = [...hookedClients].flatMap(([client, { file }], at) =>
  strange.filter((_, i) => i % 3 === at % 3).map(([name, words]) => ({ client, file, name, words })),
);

test.each(met)(
  '$client: $name is as before, byte for byte, once the hooks are taken out',
  async ({ client, file, words }) => {
    const path = join(home, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, words);

    expect(await sekisho('init', '--client', client, '--hooks')).toMatchObject({ code: 0, stderr: '' });
    const written = parse(readFileSync(path, 'utf8'));
    for (const { event } of hookedClients.get(client)?.events ?? []) {
      const entry = written.hooks[event].at(-1);
      expect((entry.hooks?.[0] ?? entry).command).toMatch(
        new RegExp(` hook ${client} --config |/sekisho/hooks/${client}-hook$`),
      );
    }
    const begun = words || JSON.stringify(hookedClients.get(client)?.empty ?? {});
    expect({ ...written, hooks: undefined }).toEqual({ ...parse(begun), hooks: undefined });
    // A second time nothing is added.
    const once = readFileSync(path, 'utf8');
    expect((await sekisho('init', '--client', client, '--hooks')).stdout).toContain('already');
    expect(readFileSync(path, 'utf8')).toBe(once);

    expect(await sekisho('init', '--client', client, '--remove')).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(path, 'utf8')).toBe(words);
    expect(readdirSync(join(home, '.local/state/sekisho/hooks'))).toEqual([]);
  },
);

test('a file that was not there is gone again, and a second removal finds nothing', async () => {
  const path = join(home, '.claude/settings.json');
  await sekisho('init', '--hooks');
  expect(existsSync(path)).toBe(true);
  await sekisho('init', '--remove');
  expect(existsSync(path)).toBe(false);
  expect((await sekisho('init', '--remove')).stdout).toContain('no hooks of Sekisho');
});

test('hooks that another version wrote, in a file that was changed since, go with those that replace them', async () => {
  const path = join(home, '.gemini/settings.json');
  mkdirSync(dirname(path));
  writeFileSync(path, '{\n  "theme": "dark"\n}\n');
  await sekisho('init', '--client', 'gemini', '--hooks');
  const { hooks, ...others } = parse(readFileSync(path, 'utf8'));
  const { BeforeAgent: _, ...fewer } = hooks;
  writeFileSync(path, JSON.stringify({ ...others, theme: 'light', hooks: fewer }, undefined, 2));

  expect((await sekisho('init', '--client', 'gemini', '--hooks')).stdout).toContain('Wrote hooks');
  expect(Object.keys(parse(readFileSync(path, 'utf8')).hooks)).toContain('BeforeAgent');
  await sekisho('init', '--client', 'gemini', '--remove');
  expect(parse(readFileSync(path, 'utf8'))).toEqual({ theme: 'light' });
});

test('what the person changed since then is kept', async () => {
  const path = join(home, '.claude/settings.json');
  mkdirSync(dirname(path));
  writeFileSync(path, '{\n  // mine\n  "model": "opus"\n}\n');
  await sekisho('init', '--hooks');
  writeFileSync(path, readFileSync(path, 'utf8').replace('opus', 'sonnet'));
  await sekisho('init', '--remove');
  expect(readFileSync(path, 'utf8')).toBe('{\n  // mine\n  "model": "sonnet"\n}\n');
});

test.each(['{', '[]', '{"hooks": []}', 'x'])('%j is left as it is, and said to be wrong', async (words) => {
  const path = join(home, '.claude/settings.json');
  mkdirSync(dirname(path));
  writeFileSync(path, words);
  for (const flag of ['--hooks', '--remove']) {
    expect(await sekisho('init', flag)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('settings.json'),
    });
    expect(readFileSync(path, 'utf8')).toBe(words);
  }
});

test('without a configuration there is nothing to judge by', async () => {
  rmSync(join(home, '.config'), { recursive: true });
  expect(await sekisho('init', '--hooks')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('sekisho init'),
  });
});

test('whatever settings there are, only our entries come and go', () => {
  const client = hookedClients.get('claude');
  if (!client) throw new Error('no client');
  const of = {
    client,
    name: 'claude',
    commands: { ofTools: '/s/sekisho/hooks/claude-hook', ofTurns: 'sekisho hook claude --config /c' },
    file: 'f',
  };
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(8), (settings, indent) => {
      const before = JSON.stringify({ ...settings, hooks: undefined }, null, indent);
      const after = withEntries(before, of) ?? '';
      expect(parse(after).hooks.PreToolUse).toHaveLength(1);
      expect(parse(withoutEntries(after, client, 'claude', 'f'))).toEqual(parse(before));
    }),
  );
});
