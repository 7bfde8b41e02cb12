import { execFileSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { claudeEvent } from '../hooks/events.ts';
import { needs, superuser } from '../support/needs.ts';
import { Stage, textOf } from './stage.ts';

const dist = join(import.meta.dirname, '../../dist/sekisho.js');

const rounds = process.env.SEKISHO_HAMMER ? 10 : 3;
let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.end());

test('two clients in two projects share one server, and each has its own folder, variables, shell and files of /tmp', async () => {
  const [one, two] = await Promise.all([
    stage.join(stage.folder('one'), { environment: { PATH: `${process.env.PATH}:/of/one`, LC_TIME: 'C' } }),
    stage.join(stage.folder('two'), { environment: { PATH: `${process.env.PATH}:/of/two`, LC_TIME: 'C' } }),
  ]);
  const reports = stage.ps();
  expect(reports).toHaveLength(1);
  expect(reports[0]?.sessions.map(({ folder }) => folder).sort()).toEqual([
    join(stage.base, 'one'),
    join(stage.base, 'two'),
  ]);

  expect(await one.shell('pwd; export MINE=1; echo kept > /tmp/kept')).toContain(join(stage.base, 'one'));
  expect(await two.shell('pwd; echo "<$MINE>"; ls /tmp')).toMatch(/\/two\n<>\n(?!.*kept)/s);
  expect(await one.shell('echo "<$MINE>"; cat /tmp/kept')).toContain('<1>\nkept');

  one.end();
  two.end();
  expect(await Promise.all([one.exited, two.exited])).toEqual([
    [0, null],
    [0, null],
  ]);
});

test('sessions of one project share a checkpoint, and a changed configuration or another PATH gives the next one its own', async () => {
  const folder = stage.folder('project');
  await stage.join(folder);
  // As from another terminal, and by npx.
  const npm_config_userconfig = join(stage.base, '.npmrc');
  const npx = { NODE: process.execPath, INIT_CWD: folder, npm_config_call: 'x', npm_config_userconfig };
  await stage.join(folder, { environment: { TERM_SESSION_ID: 'another', ANY_CLIENTS_TRACE: '1', ...npx } });
  expect(stage.ps().map(({ checkpoints, sessions }) => [checkpoints, sessions.length])).toEqual([[1, 2]]);
  const others = [
    { PATH: `/of/another:${process.env.PATH}` },
    { NVM_DIR: '/of/another' },
    { npm_config_userconfig: '/of/another' },
  ];
  for (const [index, environment] of others.entries()) {
    await stage.join(folder, { environment });
    expect(stage.ps()[0]?.checkpoints).toBe(2 + index);
  }

  const config = join(stage.folder('.config/sekisho'), 'sekisho.jsonc');
  writeFileSync(config, '{ "mode": "read-only" }');
  const changed = await stage.join(folder);
  expect(textOf(await changed.call('write_file', { path: 'a.txt', content: 'x' }))).not.toContain('a.txt (1');
  expect(existsSync(join(folder, 'a.txt'))).toBe(false);
});

test('ps lists the proxied servers with their memory and the sessions that they run for', async () => {
  const folder = stage.folder('project');
  const fixture = join(import.meta.dirname, '../upstream/fixtures/server.ts');
  const command = { command: process.execPath, args: [fixture, 'none'], sandbox: 'off' };
  const mcpServers = { common: command, own: { ...command, shared: false } };
  const config = join(stage.folder('.config/sekisho'), 'sekisho.jsonc');
  writeFileSync(config, JSON.stringify({ mode: 'full-access', mcpServers }));
  const [one, two] = [await stage.join(folder), await stage.join(folder)];
  await Promise.all([one.request('tools/list'), two.request('tools/list')]);
  await one.call('own__echo', { text: 'pid' });
  const [{ sessions, servers } = { sessions: [], servers: [] }] = stage.ps();
  const [first = '', second = ''] = sessions.map(({ id }) => id);
  expect(servers).toEqual([
    { name: 'common', bytes: expect.any(Number), sessions: [first, second] },
    { name: 'own', bytes: expect.any(Number), sessions: [first] },
  ]);
  for (const { bytes } of servers) expect(bytes).toBeGreaterThan(10_000_000);
  expect(stage.sekisho('ps')).toMatch(new RegExp(`^own\\t\\d+ MB\\tused by ${first.slice(0, 8)}$`, 'm'));
  one.end();
  await one.exited;
  expect(stage.ps()[0]?.servers).toMatchObject([
    { name: 'common', sessions: [second] },
    { name: 'own', sessions: [] },
  ]);
});

test('a folder that was made anew is served anew', async () => {
  const folder = stage.folder('project');
  writeFileSync(join(folder, 'a.txt'), 'old');
  const before = await stage.join(folder);
  expect(textOf(await before.call('read_file', { path: 'a.txt' }))).toContain('old');
  renameSync(folder, `${folder}.away`);
  stage.folder('project');
  writeFileSync(join(folder, 'a.txt'), 'new');
  const after = await stage.join(folder);
  expect(textOf(await after.call('read_file', { path: 'a.txt' }))).toContain('new');
  rmSync(`${folder}.away`, { recursive: true });
});

test('a session with other rights or another time zone never joins a server that does not have them', async () => {
  const folder = stage.folder('project');
  const first = await stage.join(folder);
  const [{ pid } = { pid: 0 }] = stage.ps();
  const masked = await stage.join(folder, { wrap: ['sh', '-c', 'umask 077; exec "$0" "$@"'] });
  await masked.shell('echo x > masked.txt');
  await first.shell('echo x > open.txt; date +%Z > zone.txt');
  const tokyo = await stage.join(folder, { environment: { TZ: 'Asia/Tokyo' } });
  expect(await tokyo.shell('date +%Z')).toContain('JST');
  expect(await first.shell('date +%Z')).not.toContain('JST');
  expect(stage.ps().filter((report) => report.pid === pid)[0]?.sessions).toHaveLength(1);
  expect(stage.ps().length).toBeGreaterThan(1);
});

test('a client behind no_new_privs is served by its own process, whatever it asks for', async () => {
  const folder = stage.folder('project');
  await stage.join(folder);
  const inside = await stage.join(folder, { wrap: ['setpriv', '--no-new-privs'] });
  expect(await inside.shell('echo alone')).toContain('alone');
  expect(stage.ps().map(({ sessions }) => sessions.length)).toEqual([1]);
});

test('a client that is killed takes only its small program along, and what its command did lands', async () => {
  const folder = stage.folder('project');
  const client = await stage.join(folder);
  const other = await stage.join(folder);
  void client.call('bash', { command: `echo done > finished.txt; sleep 6${process.pid}` });
  await expect.poll(() => stage.runs('sleep', `6${process.pid}`)).toBe(true);
  client.child.kill('SIGKILL');
  await expect.poll(() => stage.ps()[0]?.sessions.length).toBe(1);
  expect(await other.shell('echo goes on')).toContain('goes on');
  await expect.poll(() => existsSync(join(folder, 'finished.txt'))).toBe(true);
  expect(stage.runs('sleep', `6${process.pid}`)).toBe(false);
});

test('a stopped session ends as by a signal, and its client alone', async () => {
  const folder = stage.folder('project');
  const [one, two] = [await stage.join(folder), await stage.join(folder)];
  await one.request('tools/list');
  await two.request('tools/list');
  const [first] = stage.ps()[0]?.sessions ?? [];
  expect(() => stage.sekisho('stop')).toThrow();
  expect(stage.sekisho('stop', first?.id ?? '')).toBe('The session ends.\n');
  const [code] = (await Promise.race([one.exited, two.exited])) as [number];
  expect(code).toBe(0);
  expect(stage.ps()[0]?.sessions).toHaveLength(1);
  expect(stage.sekisho('stop', '--all')).toBe('The server ends.\n');
  expect(await Promise.all([one.exited, two.exited])).toEqual([
    [0, null],
    [0, null],
  ]);
  expect(stage.ps()).toEqual([]);
  expect(stage.sekisho('stop')).toBe('No shared server runs.\n');
});

test('a signal to the small program ends its session and answers what ran', async () => {
  const client = await stage.join(stage.folder('project'));
  const running = client.call('bash', { command: 'sleep 600' });
  await expect.poll(() => stage.ps()[0]?.sessions.length).toBe(1);
  client.child.kill('SIGTERM');
  expect(await client.exited).toEqual([0, null]);
  await Promise.race([running, client.exited]);
});

test('input that ends at once is answered whole', async () => {
  const folder = stage.folder('project');
  const client = await stage.join(folder);
  const answer = client.call('bash', { command: 'sleep 0.5; echo late' });
  client.end();
  expect(textOf(await answer)).toContain('late');
  expect(await client.exited).toEqual([0, null]);
});

test('a message over the limit is refused, and a long one below it is taken', async () => {
  const folder = stage.folder('project');
  const client = await stage.join(folder);
  const words = 'words of a line\n';
  const tooLong = await client.call('write_file', { path: 'a.txt', content: words.repeat(4_400_000) });
  expect(JSON.stringify(tooLong)).toContain('over the size limit');
  const taken = await client.call('write_file', { path: 'a.txt', content: words.repeat(1_000_000) });
  expect(textOf(taken)).toContain('a.txt');
  expect(statSync(join(folder, 'a.txt')).size).toBe(16_000_000);
  expect(await client.shell('echo goes on')).toContain('goes on');
});

test('clients share a server unless the settings, --alone or the variable decline it', async () => {
  const folder = stage.folder('project');
  await stage.join(folder);
  expect(stage.ps().map(({ sessions }) => sessions.length)).toEqual([1]);
  const alone = await stage.join(folder, { args: ['--alone'] });
  const off = await stage.join(folder, { environment: { SEKISHO_RESIDENT: 'off' } });
  expect(await alone.shell('echo alone')).toContain('alone');
  expect(await off.shell('echo off')).toContain('off');
  const config = join(stage.folder('.config/sekisho'), 'sekisho.jsonc');
  writeFileSync(config, '{ // "resident": true\n "resident": false }');
  const not = await stage.join(folder);
  expect(await not.shell('echo not')).toContain('not');
  expect(stage.ps().map(({ sessions }) => sessions.length)).toEqual([1]);
});

test('what cannot be had is said to the client that asked for it', async () => {
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
  };
  const client = await stage.join(stage.folder('project'), { environment });
  expect(stage.ps().map(({ sessions }) => sessions.length)).toEqual([1]);
  await expect.poll(() => client.log()).toContain('Warning: calls are not traced');
});

test('one process serves a session and decides for hooks, without a runtime and with one', async () => {
  const folder = stage.folder('project');
  writeFileSync(join(folder, 'a.txt'), 'a');
  stage.sekisho('init', '--yes', '--root', folder, '--profile', 'coding');
  stage.sekisho('init', '--hooks', '--yes');
  const client = await stage.join(folder);
  const config = join(stage.base, '.config/sekisho/sekisho.jsonc');
  const quick = join(stage.base, '.local/state/sekisho/hooks/claude-hook');
  const started = [
    [quick],
    [
      process.execPath,
      join(import.meta.dirname, '../../dist/sekisho.js'),
      'hook',
      'claude',
      '--config',
      config,
    ],
  ];
  for (const [at, [command = '', ...args]] of started.entries()) {
    const event = claudeEvent(
      'PreToolUse',
      folder,
      'Read',
      { file_path: 'a.txt' },
      { tool_use_id: `u${at}` },
    );
    const input = JSON.stringify(event);
    const said = execFileSync(command, args, {
      cwd: folder,
      env: stage.environment,
      input,
      encoding: 'utf8',
    });
    expect(said).toContain('"permissionDecision":"allow"');
  }
  expect(await client.shell('echo here')).toContain('here');
  const [report, ...others] = stage.ps();
  expect(others).toEqual([]);
  expect(report).toMatchObject({ conversations: 1, sessions: [{ folder }] });
  expect(stage.sekisho('ps')).toContain('conversations with hooks: 1');
});

test('a hook finds the server that another client has started, though its own cannot hold a session', async () => {
  const folder = stage.folder('project');
  const held = execFileSync(
    'sh',
    ['-c', `exec setpriv --no-new-privs ${process.execPath} ${dist} hook claude`],
    {
      cwd: folder,
      env: stage.environment,
      input: JSON.stringify(claudeEvent('PreToolUse', folder, 'Bash', { command: 'ls' })),
      encoding: 'utf8',
    },
  );
  expect(held).toContain('permissionDecision');
  await stage.join(folder);
  expect(
    stage
      .ps()
      .map(({ conversations, sessions }) => [conversations, sessions.length])
      .sort(),
  ).toEqual([
    [0, 1],
    [1, 0],
  ]);
});

test('after an update the server of the new build decides for hooks, and the old one goes on', async () => {
  const folder = stage.folder('project');
  const script = join(stage.base, 'sekisho.js');
  writeFileSync(script, `import ${JSON.stringify(join(import.meta.dirname, '../../dist/sekisho.js'))};`);
  const hook = (id: string) =>
    execFileSync(process.execPath, [script, 'hook', 'claude', '--profile', 'coding'], {
      cwd: folder,
      env: stage.environment,
      input: JSON.stringify(
        claudeEvent('PreToolUse', folder, 'Bash', { command: 'ls' }, { tool_use_id: id }),
      ),
      encoding: 'utf8',
    });
  const own = [process.execPath, script, 'serve', '--profile', 'coding'];
  const client = await stage.join(folder, { program: own });
  expect(hook('one')).toContain('"allow"');
  const later = new Date(Date.now() + 5000);
  utimesSync(script, later, later);
  expect(hook('two')).toContain('"allow"');
  expect(await client.shell('echo goes on')).toContain('goes on');
  expect(stage.ps().map(({ conversations }) => conversations)).toEqual([1, 1]);
});

test('a server whose sockets were taken away ends', async () => {
  const client = await stage.join(stage.folder('project'));
  const [{ pid } = { pid: 0 }] = stage.ps();
  rmSync(join(stage.base, '.local/state/sekisho/resident'), { recursive: true });
  client.end();
  await client.exited;
  await expect.poll(() => stage.processes().includes(pid)).toBe(false);
});

test('a client whose settings name the small program is served by it, also after an update', async () => {
  const folder = stage.folder('project');
  const config = join(stage.folder('.config/sekisho'), 'sekisho.jsonc');
  writeFileSync(config, '{ "resident": true }');
  const script = join(stage.base, 'sekisho.js');
  writeFileSync(script, `import ${JSON.stringify(join(import.meta.dirname, '../../dist/sekisho.js'))};`);
  const init = ['init', '--yes', '--root', folder, '--client', 'claude'];
  const env = stage.environment;
  const words = execFileSync(process.execPath, [script, ...init], { env, encoding: 'utf8' });
  const lines = words.split('\n\n').find((part) => part.startsWith('{')) ?? '';
  const { mcpServers } = JSON.parse(lines) as {
    mcpServers: { sekisho: { command: string; args: readonly string[] } };
  };
  const { command, args } = mcpServers.sekisho;
  expect(args.slice(0, 3)).toEqual([process.execPath, script, 'serve']);
  const start = async () => {
    const client = await stage.join(folder, { program: [command, ...args] });
    expect(await client.shell('echo here')).toContain('here');
    return client;
  };
  await start();
  await start();
  expect(stage.ps().map(({ sessions }) => sessions.length)).toEqual([2]);
  stage.sekisho('stop', '--all');
  const later = new Date(Date.now() + 5000);
  utimesSync(script, later, later);
  await start();
  await start();
  expect(
    stage
      .ps()
      .map(({ sessions }) => sessions.length)
      .sort(),
  ).toEqual([0, 2]);
});

test('mistakes in the settings are reported as without a shared server', async () => {
  const config = join(stage.folder('.config/sekisho'), 'sekisho.jsonc');
  writeFileSync(config, '{ "resident": true, "mode": "wrong" }');
  const { spawnSync } = await import('node:child_process');
  const run = (args: readonly string[]) => {
    const program = join(import.meta.dirname, '../../dist/sekisho.js');
    return spawnSync(process.execPath, [program, 'serve', ...args], {
      cwd: stage.folder('project'),
      env: stage.environment,
      encoding: 'utf8',
      input: '',
    });
  };
  const [shared, alone] = [run([]), run(['--alone'])];
  expect([shared.status, shared.stderr]).toEqual([alone.status, alone.stderr]);
  expect(shared.status).toBe(2);
});

test(`${rounds * 10} sessions opened and closed leave one server and none of their processes`, async () => {
  const folder = stage.folder('project');
  for (let round = 0; round < rounds; round += 1) {
    const clients = await Promise.all(Array.from({ length: 10 }, () => stage.join(folder)));
    await Promise.all(clients.map((client) => client.request('tools/list')));
    for (const [index, client] of clients.entries()) {
      if (index % 2 === 0) client.end();
      else client.child.kill('SIGKILL');
    }
    await Promise.all(clients.map(({ exited }) => exited));
  }
  await expect.poll(() => stage.ps().map(({ sessions }) => sessions.length)).toEqual([0]);
  expect(stage.processes()).toEqual([stage.ps()[0]?.pid]);
});

test('a program and a server in a folder of another user are not trusted', needs(superuser()), async () => {
  const folder = stage.folder('.local/state/sekisho/resident');
  chownSync(folder, 65534, 65534);
  const client = await stage.join(stage.folder('project'));
  expect(await client.shell('echo alone')).toContain('alone');
  expect(client.log()).toContain('belongs to another user');
  expect(readdirSync(folder)).toEqual([]);
});

test('the sockets, programs and logs of the server can be used by its user alone', async () => {
  await stage.join(stage.folder('project'));
  const folder = join(stage.base, '.local/state/sekisho/resident');
  const names = readdirSync(folder);
  expect(names).toHaveLength(4);
  for (const name of names) expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
});
