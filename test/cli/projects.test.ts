import { spawn } from 'node:child_process';
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
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCommand, startFile } from '../support/run-command.ts';

let home: string;
const at = (...path: string[]) => join(home, ...path);
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'several-')));
  for (const name of ['a', 'b', 'c']) {
    mkdirSync(at(name, 'deep'), { recursive: true });
    writeFileSync(at(name, 'name.txt'), `${name}\n`);
  }
});
afterEach(() => rmSync(home, { recursive: true }));

const init = (folder: string, ...args: string[]) =>
  runCommand(['init', '--yes', ...args], at(folder), { HOME: home });

const configure = (config: unknown) => {
  mkdirSync(at('.config/sekisho'), { recursive: true });
  writeFileSync(at('.config/sekisho/sekisho.jsonc'), JSON.stringify(config));
};

interface Client {
  /** The text of a reply. */
  call(tool: string, input: object): Promise<string>;
  /** Says that it works elsewhere now. */
  move(folders: readonly string[]): void;
  readonly instructions: string;
  stderr(): string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A client that starts the server in `cwd` and answers `roots/list` with these folders, or declares no roots. */
async function connect(cwd: string, folders?: readonly string[], name = 'test'): Promise<Client> {
  const env = { PATH: process.env.PATH, LANG: 'C.UTF-8', HOME: home };
  const server = spawn(process.execPath, [startFile, 'serve'], { cwd, env });
  let stderr = '';
  server.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const waiting = new Map<unknown, (result: Record<string, unknown>) => void>();
  let roots = folders;
  const send = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  createInterface(server.stdout).on('line', (line) => {
    const message = JSON.parse(line);
    if (message.method === 'roots/list')
      send({ id: message.id, result: { roots: roots?.map((path) => ({ uri: pathToFileURL(path).href })) } });
    else waiting.get(message.id)?.(message.result);
  });
  let id = 0;
  const request = (method: string, params: object) => {
    id += 1;
    send({ id, method, params });
    return new Promise<Record<string, unknown>>((resolve) => waiting.set(id, resolve));
  };
  const { instructions } = await request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: folders === undefined ? {} : { roots: { listChanged: true } },
    clientInfo: { name, version: '1' },
  });
  send({ method: 'notifications/initialized' });
  return {
    instructions: String(instructions),
    // As root, each start warns of that.
    stderr: () => stderr.replace(/^Warning: Sekisho runs as root.*\n+/m, ''),
    async call(tool, input) {
      const { content } = await request('tools/call', { name: tool, arguments: input });
      return (content as { text: string }[]).map(({ text }) => text).join('\n');
    },
    move(moved) {
      roots = moved;
      send({ method: 'notifications/roots/list_changed' });
    },
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => server.once('close', resolve));
      server.stdin.end();
      await ended;
    },
  };
}

test('init in a second project adds it, and each client works in the project that it was started in', async () => {
  expect((await init('a')).stdout).toContain('Wrote ');
  const file = at('.config/sekisho/sekisho.jsonc');
  writeFileSync(file, readFileSync(file, 'utf8').replace('{', '{ // mine\n'));
  expect((await init('b', '--profile', 'chat')).stdout).toContain(
    `Added ${at('b')} to the projects in ${file}.`,
  );
  expect(readFileSync(file, 'utf8')).toContain('// mine');

  await using a = await connect(at('a'));
  await using b = await connect(at('b'));
  expect(await a.call('write_file', { path: 'new.txt', content: 'from a' })).toContain('new.txt');
  expect(await b.call('read_file', { path: 'name.txt' })).toContain('b');
  expect(readFileSync(at('a/new.txt'), 'utf8')).toBe('from a');
  expect(existsSync(at('b/new.txt'))).toBe(false);
  expect(a.stderr()).toBe('');
});

test('a project that is there already is not replaced in silence, nor is a file with roots changed', async () => {
  await init('a');
  const again = await init('a', '--profile', 'notes');
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('`--force` replaces its settings')]);
  expect((await init('a', '--profile', 'notes', '--force')).code).toBe(0);
  expect(readFileSync(at('.config/sekisho/sekisho.jsonc'), 'utf8')).toContain('"notes"');

  configure({ roots: [at('c')] });
  expect((await init('b')).stderr).toContain('has "roots", which every server serves');
  expect(JSON.parse(readFileSync(at('.config/sekisho/sekisho.jsonc'), 'utf8'))).toEqual({ roots: [at('c')] });
});

test('a project has settings, rules and records of its own, and the rules for all hold in it', async () => {
  const deny = (path: string, because: string) => ({ path, decision: 'deny', because });
  configure({
    profile: 'coding',
    rules: [deny('all.txt', 'for all')],
    projects: { '~/a': { rules: [deny('own.txt', 'in a')] }, '~/b': { mode: 'read-only' } },
  });
  await using a = await connect(at('a', 'deep'));
  await using b = await connect(at('b'));
  const write = (client: Client, path: string) => client.call('write_file', { path, content: 'x' });

  expect(a.instructions).toContain(`Relative paths start in ${at('a')}, above the folder ${at('a/deep')}`);
  expect(await write(a, 'all.txt')).toContain('for all');
  expect(await write(a, 'own.txt')).toMatch(/in a\. Denied by rule rules\[1\] \(.*sekisho\.jsonc:1\)/);
  expect(await write(b, 'own.txt')).toContain('read-only');
  await a.call('remember', { content: 'only in a' });
  expect(await a.call('recall', { query: 'only' })).toContain('only in a');
  expect(await b.call('recall', { query: 'only' })).not.toContain('only in a');
});

test('a folder that nobody named is served with the settings for all, and stderr says so once', async () => {
  configure({ profile: 'coding', projects: { '~/a': {} } });
  await using c = await connect(at('c'));
  expect(await c.call('read_file', { path: 'name.txt' })).toContain('c');
  await c.call('read_file', { path: 'name.txt' });
  expect(c.stderr().match(/is not among your projects/g)).toHaveLength(1);
});

test('a home serves nothing: each call is refused with what to name, and the log has it', async () => {
  configure({ profile: 'coding', projects: { '~/a': {} } });
  await using client = await connect(home);
  const reply = await client.call('read_file', { path: 'a/name.txt' });
  expect(reply).toContain(`Started in ${home}, which is no project. Name the folder with --root PATH`);
  expect(reply).toContain('Your projects: ~/a.');
  const listed = await runCommand(
    ['audit', 'search', '--root', at('.local/state/sekisho/nowhere/empty')],
    home,
    {
      HOME: home,
    },
  );
  expect(listed.stdout).toContain('read_file');
});

test('roots of the client choose the project, and a change of roots another one', async () => {
  configure({ profile: 'coding', projects: { '~/a': {}, '~/b': {} } });
  await using client = await connect('/', [at('b')]);
  expect(await client.call('read_file', { path: 'name.txt' })).toContain('b');
  await client.call('write_file', { path: 'seen.txt', content: 'x' });
  client.move([at('a')]);
  expect(await client.call('read_file', { path: 'name.txt' })).toContain('a');
  expect(await client.call('read_file', { path: 'seen.txt' })).toContain('does not exist');
  expect(client.stderr()).toContain(
    `The client works in ${at('a')}, so that is served in place of ${at('b')}.`,
  );
});

test('roots that lead nowhere, and those of a client that names wrong ones, leave the start folder', async () => {
  configure({ profile: 'coding' });
  await using lost = await connect(at('a'), [at('nothing')]);
  expect(await lost.call('read_file', { path: 'name.txt' })).toContain('a');
  await using qwen = await connect(at('a'), [at('b')], 'qwen-cli-mcp-client-sekisho');
  expect(await qwen.call('read_file', { path: 'name.txt' })).toContain('a');
});

test('in another project that the client added, reading is allowed and each kind of writing is asked about', async () => {
  configure({ profile: 'coding', projects: { '~/a': {}, '~/b': {} }, approval: { waitMs: 0 } });
  await using client = await connect(at('a'), [at('a'), at('b'), at('c')]);
  expect(await client.call('read_file', { path: at('b/name.txt') })).toContain('b');
  expect(await client.call('write_file', { path: at('b/new.txt'), content: 'x' })).toContain('must approve');
  expect(await client.call('bash', { command: `echo x > ${at('b/new.txt')}` })).toContain('must approve');
  expect(await client.call('write_file', { path: 'new.txt', content: 'x' })).toContain('new.txt');
  expect([existsSync(at('b/new.txt')), existsSync(at('a/new.txt'))]).toEqual([false, true]);
  // The third folder is no project, so it is not served at all.
  expect(await client.call('read_file', { path: at('c/name.txt') })).toContain('outside the allowed folders');
});

test('--root is the word of the person: neither the start folder nor roots change it', async () => {
  configure({ profile: 'coding', projects: { '~/a': {} } });
  const { stdout } = await runCommand(
    ['call', 'read_file', '{"path":"name.txt"}', '--root', at('c')],
    at('a'),
    {
      HOME: home,
    },
  );
  expect(stdout).toContain('c');
});

test('sekisho projects lists them with use, waiting questions and the one that is here', async () => {
  configure({ profile: 'coding', projects: { '~/a': {}, '~/*': { profile: 'notes' }, '~/gone': {} } });
  await runCommand(['call', 'read_file', '{"path":"name.txt"}'], at('a'), { HOME: home });
  await runCommand(['call', 'vault_list', '{}'], at('b'), { HOME: home });
  const { stdout } = await runCommand(['projects', '--json'], at('a', 'deep'), { HOME: home });
  const known = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

  expect(known).toHaveLength(3);
  expect(known).toContainEqual(
    expect.objectContaining({ folder: at('a'), key: '~/a', profile: 'coding', isHere: true, waiting: 0 }),
  );
  expect(known).toContainEqual(
    expect.objectContaining({ folder: at('b'), key: '~/*', profile: 'notes', isHere: false }),
  );
  expect(known).toContainEqual(expect.objectContaining({ folder: at('gone'), exists: false }));
  const page = await runCommand(['projects', '--locale', 'ja'], at('c'), { HOME: home });
  expect(page.stdout).toContain('その中の各フォルダー');
});
