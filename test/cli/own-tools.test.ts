import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clientConfig } from '../../src/cli/clients.ts';
import { withoutTools } from '../../src/cli/init/own-tools.ts';
import { runCommand } from '../support/run-command.ts';

let home: string;
let project: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-own-tools-')));
  project = join(home, 'project');
  mkdirSync(project);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const sekisho = (...args: string[]) => runCommand(args, project, { HOME: home });

const files = [
  [
    'claude',
    'project/.claude/settings.json',
    '{\n\t// mine\n\t"permissions": { "deny": ["Read", "mcp__x"] },\n}\n',
  ],
  ['gemini', '.gemini/settings.json', ''],
  ['opencode', 'project/opencode.json', '{"tools":{"bash":true,"mine":false},"model":"x"}'],
] as const;

test.each(files)(
  '%s: its own tools are switched off beside what stands there, and on again byte for byte',
  async (client, file, words) => {
    const path = join(home, file);
    if (words !== '') {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, words);
    }
    const { code, stdout } = await sekisho(
      'init',
      '--client',
      client,
      '--own-tools',
      'off',
      '--root',
      project,
    );
    expect(code).toBe(0);
    expect(stdout).toContain(path);
    expect(stdout).toMatch(/^\+/m);
    const { off } = clientConfig(client, '', []);
    const held = off?.key.reduce((at, name) => at[name], parse(readFileSync(path, 'utf8')));
    if (off?.each === undefined) {
      expect(held).toEqual(expect.arrayContaining([...(off?.names ?? [])]));
      expect(new Set(held).size).toBe(held.length);
    } else expect(held).toMatchObject(Object.fromEntries(off.names.map((name) => [name, false])));

    expect((await sekisho('init', '--client', client, '--remove')).code).toBe(0);
    if (words === '') expect(existsSync(path)).toBe(false);
    else expect(readFileSync(path, 'utf8')).toBe(words);
  },
);

test('of settings that were changed since, or that we know nothing of any more, our names alone are taken out', async () => {
  const path = join(project, '.claude/settings.json');
  await sekisho('init', '--own-tools', 'off', '--root', project);
  const changed = readFileSync(path, 'utf8').replace('"Bash"', '"Bash","Mine"');
  for (const isForgotten of [false, true]) {
    writeFileSync(path, changed);
    if (isForgotten) rmSync(join(home, '.local/state/sekisho'), { recursive: true, force: true });
    expect(await sekisho('init', '--remove')).toMatchObject({ code: 0 });
    expect(parse(readFileSync(path, 'utf8'))).toEqual({ permissions: { deny: ['Mine'] } });
  }
  // Of a client that nothing was done to, nothing is taken.
  const own = '{"permissions":{"deny":["Bash"]}}';
  writeFileSync(path, own);
  await sekisho('init', '--remove');
  expect(readFileSync(path, 'utf8')).toBe(own);
});

test.each(['{', '[]', '{"permissions": []}', '{"permissions": {"deny": "Bash"}}', '{"permissions": null}'])(
  '%j is none that its client could read',
  (settings) => {
    const { off } = clientConfig('claude', '', []);
    expect(() => off && withoutTools(settings, off, 'f')).toThrow(/Fix it first/);
  },
);

test('what a client cannot do is not offered for it', async () => {
  expect(await sekisho('init', '--client', 'cline', '--own-tools', 'off')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--own-tools must be one of keep'),
  });
  expect(existsSync(join(home, '.config/sekisho/sekisho.jsonc'))).toBe(false);
});

test('whatever settings there are, only names are added', () => {
  const { off } = clientConfig('claude', '', []);
  if (!off) throw new Error('none');
  const deny = fc.option(fc.array(fc.string()), { nil: undefined });
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), deny, fc.nat(4), (settings, list, indent) => {
      const before = { ...settings, permissions: { allow: ['x'], ...(list && { deny: list }) } };
      const after = parse(withoutTools(JSON.stringify(before, null, indent), off, 'f'));
      const expected = [...(list ?? []), ...off.names.filter((name) => !list?.includes(name))];
      expect(after).toEqual(
        parse(JSON.stringify({ ...before, permissions: { allow: ['x'], deny: expected } })),
      );
    }),
  );
});
