import { execFile, execFileSync, spawn } from 'node:child_process';
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SshAgent } from '../../src/network/ssh/agent.ts';
import { isSignedBy } from '../../src/network/ssh/host-key.ts';
import { messagesIn, stringOf } from '../../src/network/ssh/wire.ts';
import { needs, programs } from '../support/needs.ts';

const number = (digits = '') => {
  const bytes = Buffer.from(digits, 'base64url');
  return stringOf((bytes[0] ?? 0) > 127 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
};

/** A host's key, and how it signs: as sshd sends both. */
function hostKeyOf(kind: string) {
  const [, bits] = /nistp(\d+)/.exec(kind) ?? [];
  const make = (): { publicKey: KeyObject; privateKey: KeyObject } =>
    bits
      ? generateKeyPairSync('ec', { namedCurve: `P-${bits}` })
      : kind.startsWith('rsa')
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : generateKeyPairSync('ed25519');
  const { publicKey, privateKey } = make();
  const { x = '', y = '', n, e } = publicKey.export({ format: 'jwk' });
  const name = kind.startsWith('rsa') ? 'ssh-rsa' : kind;
  const part = (coordinate: string) => Buffer.from(coordinate, 'base64url');
  const parts = bits
    ? [stringOf(`nistp${bits}`), stringOf(Buffer.concat([Buffer.from([4]), part(x), part(y)]))]
    : n
      ? [number(e), number(n)]
      : [stringOf(part(x))];
  const hash = bits
    ? `sha${{ 256: 256, 384: 384, 521: 512 }[bits]}`
    : n
      ? kind.replace('rsa-sha2-', 'sha')
      : null;
  const signs = (data: Buffer) => {
    const made = sign(hash, data, bits ? { key: privateKey, dsaEncoding: 'ieee-p1363' } : privateKey);
    const half = made.length / 2;
    const numbers = [made.subarray(0, half), made.subarray(half)].map((each) => {
      let at = 0;
      while (each[at] === 0) at += 1;
      return number(each.subarray(at).toString('base64url'));
    });
    return Buffer.concat([stringOf(kind), stringOf(bits ? Buffer.concat(numbers) : made)]);
  };
  return { blob: Buffer.concat([stringOf(name), ...parts]), name, signs };
}

const kinds = [
  'ssh-ed25519',
  'rsa-sha2-256',
  'rsa-sha2-512',
  ...[256, 384, 521].map((bits) => `ecdsa-sha2-nistp${bits}`),
];

test.each(kinds)('a signature of a host by %s is verified', (kind) => {
  const data = randomBytes(32);
  const other = hostKeyOf(kind);
  for (let times = 0; times < 20; times++) {
    const { blob, signs } = hostKeyOf(kind.startsWith('rsa') && times > 1 ? 'ssh-ed25519' : kind);
    const signature = signs(data);
    expect(isSignedBy(blob, data, signature)).toBe(true);
    expect(isSignedBy(other.blob, data, signature)).toBe(false);
    expect(isSignedBy(blob, randomBytes(32), signature)).toBe(false);
    expect(isSignedBy(blob, data, signature.subarray(0, -1))).toBe(false);
    expect(isSignedBy(blob, data, Buffer.concat([signature, Buffer.from([0])]))).toBe(false);
  }
});

describe('The agent of commands', needs(programs('ssh-agent', 'ssh-add', 'ssh-keygen')), () => {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-agent-test-'));
  const own = join(folder, 'own');
  const host = hostKeyOf('ssh-ed25519');
  const other = hostKeyOf('ssh-ed25519');
  let person: ReturnType<typeof spawn>;
  let key = Buffer.alloc(0);
  let otherKey = Buffer.alloc(0);
  let servers: Server[] = [];
  let agent: SshAgent;
  let refused = 0;
  let mayOpen = true;

  beforeAll(async () => {
    person = spawn('ssh-agent', ['-D', '-a', own], { stdio: 'ignore' });
    while (!existsSync(own)) await sleep(20);
    const blobs = ['one', 'two'].map((name) => {
      const file = join(folder, name);
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file]);
      execFileSync('ssh-add', ['-q', file], { env: { ...process.env, SSH_AUTH_SOCK: own }, stdio: 'pipe' });
      return Buffer.from(readFileSync(`${file}.pub`, 'utf8').split(' ')[1] ?? '', 'base64');
    });
    [key = key, otherKey = otherKey] = blobs;
    const line = String(execFileSync('ssh-keygen', ['-lf', join(folder, 'one.pub')]));
    agent = new SshAgent({
      access: {
        hosts: [{ host: 'git.test', port: 22, keys: [`ssh-ed25519 ${host.blob.toString('base64')}`] }],
        agent: own,
        keys: [/SHA256:\S+/.exec(line)?.[0] ?? ''],
      },
      opens: async () => mayOpen,
      refused: () => {
        refused += 1;
      },
    });
    servers = [createServer((client) => void agent.serve(client).catch(() => client.destroy()))];
    servers[0]?.listen(join(folder, 'ours'));
  });
  afterAll(() => {
    for (const server of servers) server.close();
    person.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    refused = 0;
    mayOpen = true;
  });

  /** A connection of the outlet, over which a host has said this. */
  async function heard(words: Buffer, target = { host: 'git.test', port: 22 }): Promise<() => void> {
    const server = createServer((socket) => socket.write(words)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const upstream = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1');
    agent.follow(target, upstream);
    await once(upstream, 'data');
    return () => {
      upstream.destroy();
      server.close();
    };
  }

  /** The types of the answers to these messages on one connection. */
  async function say(...messages: readonly Buffer[]): Promise<readonly number[]> {
    const socket: Socket = connect(join(folder, 'ours'));
    socket.on('error', () => {});
    const answers = messagesIn(socket);
    const types: number[] = [];
    for (const message of messages) {
      socket.write(stringOf(message));
      const { value } = await answers.next();
      types.push(value?.[0] ?? -1);
    }
    socket.destroy();
    return types;
  }

  const byte = (value: number) => Buffer.from([value]);
  const session = randomBytes(32);
  const bind = ({ blob, signs }: typeof host, of = session, isForwarded = 0, signature = signs(of)) =>
    Buffer.concat([
      ...[byte(27), stringOf('session-bind@openssh.com'), stringOf(blob), stringOf(of)],
      ...[stringOf(signature), byte(isForwarded)],
    ]);
  const login = (
    more: { of?: Buffer; by?: Buffer; service?: string; method?: string; hostKey?: Buffer } = {},
  ) =>
    Buffer.concat([
      ...[
        stringOf(more.of ?? session),
        byte(50),
        stringOf('git'),
        stringOf(more.service ?? 'ssh-connection'),
      ],
      ...[stringOf(more.method ?? 'publickey'), byte(1), stringOf('ssh-ed25519'), stringOf(more.by ?? key)],
      ...(more.hostKey ? [stringOf(more.hostKey)] : []),
    ]);
  const ask = (data: Buffer, by = key) =>
    Buffer.concat([byte(13), stringOf(by), stringOf(data), Buffer.alloc(4)]);
  const sshsig = (namespace: string) =>
    Buffer.concat([
      ...[Buffer.from('SSHSIG'), stringOf(namespace), stringOf('')],
      ...[stringOf('sha512'), stringOf(randomBytes(64))],
    ]);
  const spoken = (signature: Buffer) =>
    Buffer.concat([Buffer.from('SSH-2.0-test\r\n'), randomBytes(300), stringOf(signature), randomBytes(50)]);

  test('signs a login at a listed host that proved itself over a connection of a command', async () => {
    const hangUp = await heard(spoken(host.signs(session)));
    expect(await say(bind(host), ask(login()))).toEqual([6, 14]);
    const bound = { method: 'publickey-hostbound-v00@openssh.com', hostKey: host.blob };
    expect(await say(bind(host), ask(login(bound)), ask(login(bound)))).toEqual([6, 14, 14]);
    mayOpen = false;
    expect(await say(bind(host), ask(login()))).toEqual([6, 5]);
    hangUp();
    expect(refused).toBe(0);
  });

  test('lists only the keys that commands may use', async () => {
    const { SSH_AUTH_SOCK: _, ...rest } = process.env;
    const env = { ...rest, SSH_AUTH_SOCK: join(folder, 'ours') };
    const { stdout } = await promisify(execFile)('ssh-add', ['-L'], { env });
    expect(stdout.trim().split('\n')).toHaveLength(1);
    expect(stdout).toContain(key.toString('base64'));
  });

  test('signs none of a hundred and more requests of other kinds', async () => {
    const hangUp = await heard(spoken(host.signs(session)));
    const good = bind(host);
    const whole = login();
    const fresh = randomBytes(32);
    const hostile: (readonly Buffer[])[] = [
      [ask(whole)],
      [bind(host, session, 1), ask(whole)],
      [good, bind(host, session, 1), ask(whole)],
      [good, good, ask(whole)],
      [bind(other), ask(whole)],
      [bind(other), good, ask(whole)],
      // A session that was begun elsewhere: its host signed it, and no command has a connection to it.
      [bind(host, fresh), ask(login({ of: fresh }))],
      [bind(host, session, 0, other.signs(session)), ask(whole)],
      [bind(host, fresh, 0, host.signs(session)), ask(login({ of: fresh }))],
      [good, ask(login({ of: fresh }))],
      [good, ask(login({ by: otherKey }))],
      [good, ask(login({ by: otherKey }), otherKey)],
      [good, ask(whole, otherKey)],
      [good, ask(login({ method: 'publickey-hostbound-v00@openssh.com', hostKey: other.blob }))],
      [good, ask(login({ method: 'publickey-hostbound-v00@openssh.com' }))],
      [good, ask(login({ hostKey: host.blob }))],
      ...['hostbased', 'password', 'none', 'PUBLICKEY', ''].map((method) => [good, ask(login({ method }))]),
      ...['ssh-userauth', 'ssh', ''].map((service) => [good, ask(login({ service }))]),
      ...['git', 'file', 'ssh', ''].map((namespace) => [good, ask(sshsig(namespace))]),
      [ask(sshsig('git'))],
      [good, ask(Buffer.from('tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n'))],
      [good, ask(session)],
      [good, ask(Buffer.concat([whole, byte(0)]))],
      ...[1, 3, 17, 18, 19, 20, 21, 22, 23, 25, 26, 30].map((type) => [
        good,
        Buffer.concat([byte(type), stringOf(key), stringOf(whole)]),
      ]),
      ...Array.from({ length: whole.length }, (_, at) => [good, ask(whole.subarray(0, at))]),
      ...Array.from({ length: 40 }, () => {
        const changed = Buffer.from(whole);
        const at = Math.floor(Math.random() * (whole.length - 15 - 4 - key.length)) % 40;
        changed[at] = (changed[at] ?? 0) ^ (1 << Math.floor(Math.random() * 8));
        return [good, ask(changed)];
      }),
    ];
    const signed: string[] = [];
    for (const messages of hostile) {
      const types = await say(...messages);
      // The name of the user is at the 41st byte, and any may be asked for.
      if (types.includes(14)) signed.push(messages.map((each) => each.toString('hex')).join(' '));
    }
    expect(hostile.length).toBeGreaterThan(180);
    expect(signed).toEqual([]);
    expect(refused).toBeGreaterThan(100);
    hangUp();
    await sleep(100);
    expect(await say(good, ask(whole))).toEqual([5, 5]);
  });

  test('takes a connection to another target for none to the host', async () => {
    const hangUp = await heard(spoken(host.signs(session)), { host: 'git.test', port: 2222 });
    expect(await say(bind(host), ask(login()))).toEqual([5, 5]);
    hangUp();
  });
});
