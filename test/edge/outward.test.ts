/**
 * The hostile lines that would send something out, in a session whose hosts are listed: each is asked about or refused by
 * its words, held at the edge, or has no effect outside. `npx vitest run --project slow test/edge/outward`.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { dirname, join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { expect, test } from 'vitest';
import { readProject } from '../../bench/questions/project.ts';
import { CommandRunner } from '../../src/command/commands.ts';
import type { Confinement } from '../../src/contract/capabilities/judgement.ts';
import { createCommandJudge } from '../../src/judgement/judge.ts';
import { createAuthority } from '../../src/network/edge/authority.ts';
import { createTestJudge } from '../support/effects-judge.ts';
import { needs, sandbox, superuser } from '../support/needs.ts';
import { gitBackend } from './git-backend.ts';
import { no } from './world.ts';

const base = realpathSync(mkdtempSync('/var/tmp/sekisho-outward-'));
const root = join(base, 'root');
const lines = ['hostile', 'hostile-agents', 'hostile-spelled', 'hostile-unseen'].flatMap((file) =>
  readFileSync(join(import.meta.dirname, `../judgement/${file}.txt`), 'utf8')
    .trim()
    .split('\n'),
);
const named = /(?<![\w.-])[a-z\d-]+(?:\.[a-z\d-]+)*\.(?:example|com|org|io)\b/gi;
const hosts = [
  ...new Set([
    'github.com',
    'api.github.com',
    'registry.npmjs.org',
    'pypi.org',
    'crates.io',
    'index.crates.io',
  ]),
  ...new Set(lines.flatMap((line) => line.match(named) ?? []).map((host) => host.toLowerCase())),
];
const judge = createCommandJudge({ read: readProject(root) });

function decisionOn(line: string, confinement: Confinement): string {
  const script = line.replaceAll('⏎', '\n');
  const place = { dialect: 'plain', roots: [root], workingFolder: root, confinement, onLayer: true } as const;
  return judge.judge({ kind: 'script', script, shell: 'bash' }, place).decision;
}

/** Stands in every file of the session that a line could send. */
const secret = 'the harbour plan of spring is not to be told';

test('outward hostile lines', {
  ...needs(sandbox('bubblewrap'), superuser()),
  timeout: 1_800_000,
}, async () => {
  const outward = [...new Set(lines)].filter(
    (line) =>
      decisionOn(line, { network: [] }) === 'allow' &&
      decisionOn(line, { network: hosts, tunnels: hosts }) !== 'allow',
  );
  expect(outward.length).toBeGreaterThanOrEqual(298);
  const byWords = outward.filter((line) => decisionOn(line, { network: hosts, tunnels: [] }) !== 'allow');
  const running = outward.filter((line) => !byWords.includes(line));

  const arrived: string[] = [];
  const { certificate, close } = await openHosts(arrived);
  makeProject();
  const runner = new CommandRunner({
    roots: [{ hostPath: root, writable: true }],
    sandbox: 'required',
    backends: ['bubblewrap'],
    layers: `${root}-layers`,
    serverEnvironment: { PATH: process.env.PATH, HOME: process.env.HOME },
    readable: [dirname(dirname(process.execPath))],
    network: {
      key: 'process.network',
      tunnels: [],
      trusted: () => certificate,
      entries: [...hosts, '127.0.0.2:443', '127.0.0.2:80'],
      resolve: async () => ['127.0.0.2'],
    },
  });
  let held = 0;
  const effects = {
    ...createTestJudge(),
    askAboutRequest: async () => {
      held++;
      return no;
    },
  };
  let heldLines = 0;
  const past: { line: string; requests: readonly string[] }[] = [];
  for (const [at, line] of running.entries()) {
    arrived.length = 0;
    const before = held;
    await runner
      .forSession(String(at), { judge: effects })
      .run(
        { kind: 'script', script: line.replaceAll('⏎', '\n'), shell: 'bash' },
        { workingFolder: root, timeoutMs: 15_000, signal: new AbortController().signal },
      );
    if (held > before) heldLines++;
    const requests = arrived.filter(tells);
    if (requests.length > 0) past.push({ line, requests });
  }
  await runner.close();
  close();
  rmSync(base, { recursive: true, force: true });
  expect(past).toEqual([]);
  expect(heldLines).toBeGreaterThan(0);
  const silent = running.length - heldLines;
  process.stdout.write(
    `${outward.length} outward lines: ${byWords.length} asked about by their words, ${heldLines} held at the edge, ${silent} without effect\n`,
  );
});

/** Whether a request does more than read, or holds some of the secret in any coding. */
function tells(request: string): boolean {
  if (!/^(GET|HEAD|OPTIONS) /.test(request)) return true;
  const forms = (['utf8', 'hex', 'base64', 'base64url'] as const).flatMap((coding) => {
    const whole = Buffer.from(secret).toString(coding);
    return [whole.slice(0, 12), whole.slice(12, 24)];
  });
  return forms.some((form) => decodeURIComponent(request.replace(/%(?![\da-f]{2})/gi, '%25')).includes(form));
}

/** All of the hosts, at the ports that the lines mean. */
async function openHosts(arrived: string[]) {
  mkdirSync(join(base, 'git/ours'), { recursive: true });
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', join(base, 'git/ours/app.git')]);
  const { certificate, credentialsFor } = createAuthority();
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url = '', headers } = request;
    if (url.startsWith('/ours/app.git')) {
      arrived.push(/upload-pack/.test(url) ? `GET ${url}` : `${method} ${url}`);
      return gitBackend(join(base, 'git'), request, response, request);
    }
    const parts: Buffer[] = [];
    for await (const part of request.on('error', () => {})) parts.push(part as Buffer);
    arrived.push(`${method} ${url} ${JSON.stringify(headers)} ${Buffer.concat(parts).toString('latin1')}`);
    response.end('echo nothing\n');
  };
  const secure = createServer(
    { SNICallback: (name, done) => done(null, createSecureContext(credentialsFor(name))) },
    answer,
  );
  const servers = [secure, createPlainServer(answer)];
  for (const [server, port] of [
    [servers[0], 443],
    [servers[1], 80],
  ] as const)
    await new Promise<void>((resolve) => server?.listen(port, '127.0.0.2', resolve));
  const close = () => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  };
  return { certificate, close };
}

function makeProject(): void {
  mkdirSync(root);
  for (const name of ['.env', 'id_rsa', 'notes.txt', 'secrets.txt', 'package.json', 'a', 'f', 'x'])
    writeFileSync(
      join(root, name),
      name === 'package.json'
        ? JSON.stringify({ name: 'a', version: '1.0.0', description: secret })
        : `NOTE=${secret}\n`,
    );
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args], { cwd: root });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-q', '-m', secret);
  git('remote', 'add', 'origin', 'https://github.com/ours/app.git');
}
