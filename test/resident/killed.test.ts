import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Stage, textOf } from './stage.ts';

const rounds = process.env.SEKISHO_HAMMER ? Number(process.env.SEKISHO_RUNS ?? 100) : 3;

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.end());

const kill = () => {
  for (const { pid } of stage.ps()) process.kill(pid, 'SIGKILL');
};

test('a call in flight is answered as interrupted with its record, and the session goes on', async () => {
  const folder = stage.folder('project');
  const client = await stage.join(folder);
  await client.shell('export KEPT=1');
  const running = client.call('bash', { command: `sleep 7${process.pid}` });
  await expect.poll(() => stage.runs('sleep', `7${process.pid}`)).toBe(true);
  kill();
  await expect.poll(() => stage.runs('sleep', `7${process.pid}`)).toBe(false);
  const { result } = (await running) as unknown as {
    result: { structuredContent: { error: { code: string; details: { audit_id: string } } } };
  };
  const { error } = result.structuredContent;
  expect(error.code).toBe('interrupted');
  expect(await client.shell('echo "on <$KEPT>"')).toContain('on <>');
  const found = stage.sekisho('audit', 'search', '--root', folder, error.details.audit_id);
  expect(found).toContain('interrupted');
  expect(
    client.received.filter(({ result }) => (result as { protocolVersion?: string })?.protocolVersion),
  ).toHaveLength(1);
});

test('the server is killed again and again under load: each call is answered once, and none that was acknowledged is lost', async () => {
  const folder = stage.folder('project');
  writeFileSync(join(folder, 'there.txt'), 'here I am');
  const clients = await Promise.all([1, 2, 3].map(() => stage.join(folder)));
  const written = new Set<string>();
  let isOver = false;
  let interrupted = 0;
  let good = 0;
  const work = clients.map(async (client, of) => {
    for (let number = 0; !isOver; number += 1) {
      const path = `w-${of}-${number}.txt`;
      const answers = await Promise.all([
        client.call('write_file', { path, content: path }),
        client.call('read_file', { path: 'there.txt' }),
        client.request('tools/list'),
      ]);
      const [wrote, read] = answers.map(textOf);
      if (wrote?.includes('audit search')) interrupted += 1;
      else written.add(path);
      if (read?.includes('here I am')) good += 1;
      else expect(read).toContain('audit search');
    }
  });
  for (let round = 0; round < rounds; round += 1) {
    const before = good;
    await expect.poll(() => good, { interval: 5 }).toBeGreaterThan(before + 5);
    kill();
  }
  const before = good;
  await expect.poll(() => good).toBeGreaterThan(before + 5);
  isOver = true;
  await Promise.all(work);
  for (const path of written) expect(readFileSync(join(folder, path), 'utf8')).toBe(path);
  for (const { received } of clients) {
    const ids = received.flatMap(({ id, method }) => (method === undefined ? [id] : []));
    expect(new Set(ids).size).toBe(ids.length);
  }
  stage.sekisho('audit', 'verify', '--root', folder);
  expect(interrupted).toBeLessThanOrEqual(rounds * clients.length);
});

test('requests that only ask are asked again, and a handshake under way is finished', async () => {
  const folder = stage.folder('project');
  const first = await stage.join(folder);
  const [{ pid } = { pid: 0 }] = stage.ps();
  process.kill(pid, 'SIGSTOP');
  const joining = stage.join(folder);
  const list = first.request('tools/list');
  process.kill(pid, 'SIGKILL');
  expect(((await list) as { result: { tools: unknown[] } }).result.tools.length).toBeGreaterThan(3);
  expect(await (await joining).shell('echo joined')).toContain('joined');
});

test('a session that goes on after a death keeps its place in the log', async () => {
  const folder = stage.folder('project');
  const client = await stage.join(folder);
  await client.call('write_file', { path: 'a.txt', content: 'a' });
  kill();
  await client.call('write_file', { path: 'b.txt', content: 'b' });
  const lines = stage.sekisho('audit', 'export', '--root', folder).trim().split('\n');
  const sessions = lines.flatMap((line) => {
    const record = JSON.parse(line) as { tool?: string; sessionId?: string };
    return record.tool === 'write_file' ? [record.sessionId] : [];
  });
  expect(sessions).toHaveLength(2);
  expect(new Set(sessions).size).toBe(1);
});

test('a server that hangs holds up no client for ever', async () => {
  const folder = stage.folder('project');
  const client = await stage.join(folder);
  const [{ pid } = { pid: 0 }] = stage.ps();
  process.kill(pid, 'SIGSTOP');
  expect(await client.shell('echo "again"')).toContain('again');
  expect(client.log()).toContain('started again');
});

test('a session whose server cannot be started again ends, and says so', async () => {
  const folder = stage.folder('project');
  const client = await stage.join(folder);
  const [{ pid } = { pid: 0 }] = stage.ps();
  const sockets = join(stage.base, '.local/state/sekisho/resident');
  const [name = ''] = readdirSync(sockets).filter((each) => each.endsWith('.sock'));
  // A folder in place of the socket: no server can listen there.
  rmSync(join(sockets, name));
  mkdirSync(join(sockets, name));
  process.kill(pid, 'SIGKILL');
  await client.exited;
  expect(client.child.exitCode).toBe(3);
  expect(client.log()).toMatch(/sekisho: .*(EISDIR|ENOTDIR|EEXIST|ENOTEMPTY|directory)/);
});

test('four projects on one server: nothing of one is seen from another', async () => {
  const count = Number(process.env.SEKISHO_RUNS ?? 20);
  const names = ['one', 'two', 'three', 'four'];
  const clients = await Promise.all(
    names.map(async (name) => ({
      name,
      client: await stage.join(stage.folder(name), {
        environment: { PATH: `${process.env.PATH}:/of/${name}` },
      }),
    })),
  );
  expect(stage.ps().map(({ sessions }) => sessions.length)).toEqual([4]);
  await Promise.all(
    clients.map(async ({ name, client }) => {
      for (let at = 0; at < count; at += 1) {
        const fact = `secret-of-${name}-${at}`;
        await client.call('remember', { content: fact });
        await client.call('write_file', { path: `${fact}.txt`, content: fact });
        await client.shell(`export V${at}=${fact}; echo ${fact} > /tmp/${fact}`);
      }
    }),
  );
  const seen = await Promise.all(
    clients.map(async ({ name, client }) => {
      const shown = [
        await client.shell('env; ls /tmp; pwd; ls; history'),
        JSON.stringify(await client.call('recall', { query: 'secret', limit: 50 })),
        stage.sekisho('history', '--root', join(stage.base, name)),
        stage.sekisho('audit', 'export', '--root', join(stage.base, name)),
      ];
      return { name, shown };
    }),
  );
  for (const { name, shown } of seen) {
    const [ofShell = '', ofMemory = '', ofHistory = '', ofLog = ''] = shown;
    for (const own of [ofShell, ofHistory, ofLog]) expect(own).toContain(`secret-of-${name}-${count - 1}`);
    expect(ofMemory).toContain(`secret-of-${name}-`);
    for (const other of names.filter((each) => each !== name)) {
      for (const each of shown) expect(each).not.toContain(`secret-of-${other}-`);
      expect(ofShell).not.toContain(`/of/${other}`);
    }
  }
});
