import {
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { defaultProcessLimits } from '../../src/command/prelude.ts';
import { outsideEnvironment } from '../../src/command/sandbox/environment.ts';
import { openUnconfined } from '../../src/command/sandbox/unconfined.ts';
import type { ConfigFile } from '../../src/config/schema.ts';
import { errorOf, local, openTestCheckpoint, outputOf, remote } from '../support/open-test-checkpoint.ts';

/** A file that no root holds, and a line that makes it. */
function target() {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-outside-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'made.txt');
  return { file, input: { command: `sh -c "env > ${file}"`, outside: 'it writes elsewhere' } };
}

function open(config: ConfigFile = {}, environment: Record<string, string> = {}) {
  const files = { 'a.txt': 'x', 'run.sh': 'echo first > made.txt\n' };
  return openTestCheckpoint({
    config: { approval: { waitMs: 0 }, ...config },
    files,
    environment,
    options: { environment: { HOME: '/home/of-the-person', PATH: process.env.PATH, ...environment } },
  });
}

type World = Awaited<ReturnType<typeof open>>;

async function asked(world: World, input: object): Promise<string> {
  const error = errorOf(await world.call('shell_exec', input));
  expect(error).toMatchObject({
    code: 'approval_pending',
    details: { rule: 'outside-sandbox', answer: 'person' },
  });
  return String(Object(error.details).approval_id);
}

async function answer(world: World, id: string, decision: 'approved' | 'declined' = 'approved') {
  const operator = await world.checkpoint.operator();
  const person = { name: 'cli:me', principal: 'local', isOperator: true, face: 'cli' as const };
  return (await operator.as(person).answer(id, { decision, scope: 'once' })).outcome;
}

test('a person lets one command run outside: they see line, folder and variables, and it runs once', async () => {
  await using world = await open({}, { SSH_AUTH_SOCK: '/run/agent', OTHER: 'unlisted' });
  const { file, input } = target();
  const id = await asked(world, input);
  expect(existsSync(file)).toBe(false);
  const { approvals, audit } = await world.checkpoint.store();
  const record = await approvals.get(id);
  const page = `${record?.about?.what} ${record?.about?.folder} ${record?.about?.details.en}`;
  for (const shown of [record?.message.en ?? '', page]) {
    expect(shown).toContain(`env > ${file}`);
    expect(shown).toContain(world.root);
    expect(shown).toContain('HOME=/home/of-the-person');
    expect(shown).toContain('SSH_AUTH_SOCK=/run/agent');
    expect(shown).toContain('The agent says: "it writes elsewhere"');
    expect(shown).not.toContain('unlisted');
  }
  expect(record?.message.en).toContain('outside the sandbox, as you');
  expect(record?.grant).toBeUndefined();
  expect(await answer(world, id)).toBe('answered');
  const output = outputOf(await world.call('shell_exec', input));
  expect(output.exitCode).toBe(0);
  expect(output.stderr).toContain('what it changed outside the folders cannot be undone');
  const got = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.replace(/=.*/, ''));
  const shown = [...(record?.message.en ?? '').matchAll(/^(\w+)=/gm)].map(([, name]) => name);
  // Beside those the shell's own two, and the mark by which its processes are found.
  expect(got.filter((name) => name !== '' && !shown.includes(name)).sort()).toEqual(
    ['OLDPWD', 'PWD', 'SEKISHO_COMMAND', '_'].filter((name) => got.includes(name)),
  );
  const [entry] = await audit.search({ tool: 'shell_exec', limit: 1, newestFirst: true });
  expect(entry).toMatchObject({ approver: 'cli:me', facts: { outside: true, sandbox: 'none' } });
  rmSync(file);
  expect(await asked(world, input)).not.toBe(id);
  expect(existsSync(file)).toBe(false);
});

test('a no leaves nothing run, and what it changed in the folders is put back by undo, which names the rest', async () => {
  await using world = await open();
  const { file, input } = target();
  expect(await answer(world, await asked(world, input), 'declined')).toBe('answered');
  expect(errorOf(await world.call('shell_exec', input)).code).toBe('approval_pending');
  expect(existsSync(file)).toBe(false);
  const both = { command: `sh -c "echo new > a.txt; echo made > ${file}"`, outside: 'both' };
  await answer(world, await asked(world, both));
  outputOf(await world.call('shell_exec', both));
  expect(readFileSync(join(world.root, 'a.txt'), 'utf8')).toBe('new\n');
  const operator = await world.checkpoint.operator();
  const acts = operator.as({ name: 'cli:me', principal: 'local', isOperator: true, face: 'cli' });
  const undone = await acts.undo({ sinceMs: 0 });
  expect(undone.outside).toEqual(
    [both.command.slice(0, 80)].map((line) => expect.stringContaining(line.slice(0, 40))),
  );
  expect(readFileSync(join(world.root, 'a.txt'), 'utf8')).toBe('x');
  expect(existsSync(file)).toBe(true);
});

test('a file that the line names is bound by its contents, before the answer and after it', async () => {
  await using world = await open();
  const made = join(world.root, 'made.txt');
  const input = { command: 'sh run.sh', outside: 'it installs' };
  const id = await asked(world, input);
  const { approvals } = await world.checkpoint.store();
  expect((await approvals.get(id))?.message.en).toMatch(/run\.sh \(sha256 [0-9a-f]{64}\)/);
  await answer(world, id);
  writeFileSync(join(world.root, 'run.sh'), 'echo second > made.txt\n');
  const next = await asked(world, input);
  expect(next).not.toBe(id);
  // While the call waits for its answer.
  await using waiting = await openTestCheckpoint({
    config: { approval: { waitMs: 20_000 } },
    files: { 'run.sh': 'echo first > made.txt\n' },
  });
  const call = waiting.call('shell_exec', input);
  const store = await waiting.checkpoint.store();
  let waits = await store.approvals.list('pending', Date.now());
  while (waits.length === 0) {
    await sleep(20);
    waits = await store.approvals.list('pending', Date.now());
  }
  writeFileSync(join(waiting.root, 'run.sh'), 'echo second > made.txt\n');
  await answer(waiting, waits[0]?.id ?? '');
  expect(errorOf(await call)).toMatchObject({ code: 'conflict' });
  expect(existsSync(made) || existsSync(join(waiting.root, 'made.txt'))).toBe(false);
});

test('what is denied inside is denied outside, and what no person could read is not asked about', async () => {
  await using world = await open({ rules: [{ command: ['touch'], decision: 'deny', because: 'not here' }] });
  const codeOf = async (input: object, more = {}) =>
    errorOf(await world.call('shell_exec', { outside: 'x', ...input }, more)).code;
  expect(await codeOf({ command: 'rm -rf /' })).toBe('denied');
  expect(await codeOf({ command: 'touch b' })).toBe('denied');
  expect(await codeOf({ command: 'true', dry_run: true })).toBe('invalid_parameter');
  expect(await codeOf({ command: 'true', on_failure: 'discard' })).toBe('invalid_parameter');
  const { tokens } = await world.checkpoint.store();
  const arrival = remote((await tokens.create({ user: 'hana', role: 'operator' })).token);
  expect(await codeOf({ command: 'true' }, { arrival })).toBe('forbidden');
});

test('the argument is listed only where it can be asked, and its refusal names the key', async () => {
  const never = 'outside is not possible: process.outside is "never".';
  for (const [config, refusal] of [
    [{}, undefined],
    [{ toolsets: ['agent-cli', 'assistant'] }, never],
    [{ toolsets: ['agent-cli', 'assistant'], process: { outside: 'ask' } }, undefined],
    [{ process: { outside: 'never' } }, never],
    [{ process: { sandbox: 'off' } }, 'outside is needless: process.sandbox is "off".'],
  ] as const) {
    await using world = await open(config as ConfigFile);
    const { tools } = await world.checkpoint.gateway.list(local);
    const tool = tools.find(({ name }) => name === 'shell_exec');
    expect('outside' in Object(tool?.inputSchema('en').properties)).toBe(refusal === undefined);
    const error = errorOf(await world.call('shell_exec', { command: 'true', outside: 'x' }));
    expect(error).toMatchObject(
      refusal === undefined ? { code: 'approval_pending' } : { code: 'invalid_parameter', message: refusal },
    );
  }
});

test('a value of a secret never reaches it, and a variable that you allow is shown without its credential', async () => {
  const key = 'k7Qw9zR2mX4bT8vL1nP6';
  await using world = await open(
    {
      secrets: { shop: { hosts: ['shop.example'], from: { env: 'SHOP' } } },
      process: { network: ['shop.example'], environment: ['SHOP_URL', 'GH_TOKEN'] },
    } as ConfigFile,
    { SHOP: key, SHOP_URL: `https://x:${key}@shop.example`, GH_TOKEN: `ghp_${'a1B2'.repeat(9)}` },
  );
  const { file, input } = target();
  const id = await asked(world, input);
  const { approvals } = await world.checkpoint.store();
  const message = (await approvals.get(id))?.message.en ?? '';
  expect(message).not.toContain(key);
  expect(message).toContain('GH_TOKEN=[redacted]');
  await answer(world, id);
  outputOf(await world.call('shell_exec', input));
  expect(readFileSync(file, 'utf8')).not.toContain(key);
  expect(readFileSync(file, 'utf8')).toContain('GH_TOKEN=ghp_');
});

test('its search path has no folder of the roots, and it gets no other variable than these', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-outside-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const link = `${root}-link`;
  symlinkSync(root, link);
  onTestFinished(() => rmSync(link));
  const server = {
    PATH: `${root}/bin:${link}:relative:/opt/tool/bin`,
    HOME: '/home/me',
    LC_TIME: 'ja_JP.UTF-8',
    DISPLAY: ':0',
    JAVA_HOME: '/opt/java',
    OPENAI_API_KEY: 'x',
    MINE: 'mine',
    NUL: 'a\0',
  };
  const { PATH, ...rest } = outsideEnvironment(server, { allowed: ['MINE', 'NUL'], roots: [root] });
  expect(PATH?.split(':')[0]).toBe('/opt/tool/bin');
  expect(PATH).not.toContain(root);
  expect(rest).toEqual({
    HOME: '/home/me',
    LC_TIME: 'ja_JP.UTF-8',
    DISPLAY: ':0',
    JAVA_HOME: '/opt/java',
    MINE: 'mine',
    TERM: 'dumb',
  });
});

test('it does not begin in a folder that a link has replaced, and what it leaves running ends with it', async () => {
  await using world = await open();
  const { root } = world;
  symlinkSync(root, `${root}-link`);
  const unconfined = await openUnconfined();
  const started = unconfined.spawn({
    command: { kind: 'program', program: 'touch', args: ['made'] },
    limits: defaultProcessLimits,
    workingFolder: `${root}-link`,
    environment: { PATH: '/usr/bin:/bin' },
    writable: [root],
    stdin: 'null',
  });
  await expect(started).rejects.toThrow('would have begun in');
  expect(existsSync(join(root, 'made'))).toBe(false);
  const input = { command: 'sleep 300 >/dev/null 2>&1 & echo $!', outside: 'it starts a service' };
  await answer(world, await asked(world, input));
  const { stdout } = outputOf(await world.call('shell_exec', input));
  expect(stdout).toMatch(/^\d+\n$/);
  const stat = `/proc/${String(stdout).trim()}/stat`;
  // Nobody may reap what has ended.
  await vi.waitFor(
    () => expect(existsSync(stat) && !/\) Z /.test(readFileSync(stat, 'utf8'))).toBe(false),
    10_000,
  );
});

test('a command that failed at the walls names the way out, once', async () => {
  await using world = await open();
  const fail = { command: 'sh -c "echo sudo: The \\"no new privileges\\" flag is set >&2; exit 1"' };
  expect(outputOf(await world.call('shell_exec', fail)).stderr).toContain(
    '[outside: if it cannot work inside',
  );
  expect(outputOf(await world.call('shell_exec', fail)).stderr).not.toContain('[outside:');
});
