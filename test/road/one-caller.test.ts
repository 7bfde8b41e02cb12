import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const built = join(import.meta.dirname, '..', '..', 'dist', 'sekisho.js');
/** No call of one user keeps the loop from the calls of others for longer. Busy machines compute half as fast. */
const mostHeldMs = 200;

let base: string;
let child: ChildProcess;
let url: string;
let token: string;
const holds = () => join(base, 'holds');

beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-one-caller-')));
  mkdirSync(join(base, 'root'));
  writeFileSync(join(base, 'root', 'large.txt'), 'a\n'.repeat(2_000_000));
  for (let n = 0; n < 300; n++) writeFileSync(join(base, 'root', `${n}.txt`), `line ${n}\n`.repeat(2000));
  const places = ['--root', join(base, 'root'), '--state', join(base, 'state')];
  child = spawn(
    process.execPath,
    [
      ...['--import', join(import.meta.dirname, 'loop-holds.ts'), built, 'serve', '--http', '127.0.0.1:0'],
      ...['--no-console', '--profile', 'coding', ...places],
    ],
    {
      env: { HOME: base, PATH: process.env.PATH, LOOP_HOLDS: join(base, 'holds') },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let said = '';
  for await (const chunk of child.stderr ?? []) {
    said += chunk;
    if (/\/mcp[\s\S]*token +\S+\n/.test(said)) break;
  }
  child.stderr?.resume();
  url = /http:\/\/\S+\/mcp/.exec(said)?.[0] ?? '';
  token = /token +(\S+)/.exec(said)?.[1] ?? '';
});
afterAll(async () => {
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
  rmSync(base, { recursive: true, force: true });
});

async function post(body: string, session?: string): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(session && { 'mcp-session-id': session }),
    },
    body,
  });
}

async function openSession(): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
  const reply = await post(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }));
  await reply.text();
  return reply.headers.get('mcp-session-id') ?? '';
}

const message = (name: string, json: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${json}}}`;

/** Sends it, while a second user pings. How long the loop was held, and the second user waited. */
async function sent(bodies: readonly string[]) {
  const [first, second] = [await openSession(), await openSession()];
  // What a first call of its kind loads is loaded before.
  await (await post(message('edit_file', '{"path":"none","old_string":"a","new_string":"b"}'), first)).text();
  await (await post(message('bash', '{"command":"true"}'), first)).text();
  writeFileSync(holds(), '');
  await sleep(50);
  let isOver = false;
  let waitedMs = 0;
  const other = (async () => {
    while (!isOver) {
      const startedAt = performance.now();
      await (await post('{"jsonrpc":"2.0","id":1,"method":"ping"}', second)).text();
      waitedMs = Math.max(waitedMs, performance.now() - startedAt);
      await sleep(20);
    }
  })();
  const said = await Promise.all(
    bodies.map(async (body, at) => {
      const reply = await post(body.replace('"id":1', `"id":${at + 1}`), first);
      return (await reply.text()).slice(0, 300);
    }),
  );
  isOver = true;
  await other;
  const heldMs = Math.max(0, ...readFileSync(holds(), 'utf8').split('\n').map(Number));
  if (process.env.SHOW) console.log({ heldMs, waitedMs, said: said[0] });
  return { heldMs, waitedMs, said };
}

const names = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`name${at}`, at])));

describe('One call holds nobody else up', () => {
  test.each<[string, () => readonly string[]]>([
    ['400,000 names of arguments', () => [message('bash', names(400_000))]],
    [
      'as many names as may be sent',
      () => [message('bash', `{"a":[${Array(4).fill(names(4_900)).join()}]}`)],
    ],
    ['6 MB of brackets', () => [message('bash', '['.repeat(6_000_000))]],
    ['a million objects in each other', () => [message('bash', '{"a":'.repeat(1_000_000))]],
    [
      'numbers with many digits',
      () => [message('bash', `{"a":[${'12345678901234567890,'.repeat(19_900)}1]}`)],
    ],
    [
      'a replacement of everything in 4 MB',
      () => [
        message(
          'edit_file',
          '{"path":"large.txt","old_string":"a","new_string":"b","replace_all":true,"dry_run":true}',
        ),
      ],
    ],
    [
      'a text of 6.5 MB',
      () => [
        message(
          'write_file',
          JSON.stringify({ path: 'w.txt', content: 'words of a line\n'.repeat(400_000) }),
        ),
      ],
    ],
    [
      'a file of 250 MB that is removed, and kept for undo',
      () => {
        writeFileSync(join(base, 'root', 'film.mov'), 'film');
        truncateSync(join(base, 'root', 'film.mov'), 250_000_000);
        return [message('bash', '{"command":"rm film.mov"}')];
      },
    ],
    [
      'a thousand -exec',
      () => [
        message('bash', JSON.stringify({ command: `find . -name none ${'-exec rm {} + '.repeat(1000)}` })),
      ],
    ],
    [
      'a hundred searches',
      () => Array.from({ length: 100 }, () => message('grep', '{"pattern":"line [0-9]+"}')),
    ],
  ])('%s', async (_, bodies) => {
    const { heldMs, said } = await sent(bodies());
    expect(said.join()).not.toContain('"code":"internal"');
    expect(heldMs).toBeLessThan(mostHeldMs);
  });
});
