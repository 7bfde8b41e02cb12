import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createLineClient, exitOf } from '../support/clients.ts';
import { needs, superuser } from '../support/needs.ts';
import { startFile } from '../support/run-command.ts';
import { spawnInTerminal } from '../support/terminal.ts';

const nobody = 65_534;
const isRoot = process.getuid?.() === 0;

/** A world of an ordinary user, whoever runs the tests. */
function makeWorld(config: object = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-outside-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  for (const name of ['root', 'home', 'elsewhere', 'state']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'root', 'a.txt'), 'old\n');
  writeFileSync(join(folder, 'config.jsonc'), JSON.stringify({ approval: { waitMs: 100 }, ...config }));
  // A program that gains rights, under a name that no watched command may have.
  const gains = join(folder, 'elsewhere', 'sudo');
  copyFileSync('/usr/bin/id', gains);
  chmodSync(folder, 0o755);
  if (isRoot) {
    chmodSync(gains, 0o4755);
    for (const name of ['root', 'home', 'state', 'root/a.txt']) chownSync(join(folder, name), nobody, nobody);
  }
  const at = (name: string) => join(folder, name);
  const flags = ['--root', at('root'), '--state', at('state'), '--config', at('config.jsonc')];
  const env = {
    PATH: process.env.PATH,
    HOME: at('home'),
    LANG: 'C.UTF-8',
    SSH_AUTH_SOCK: '/run/agent',
    TERM: 'xterm',
  };
  const options = { env, ...(isRoot && { uid: nobody, gid: nobody }) };
  return {
    at,
    gains,
    serve() {
      const child = spawn(process.execPath, [startFile, 'serve', '--alone', ...flags], {
        ...options,
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      onTestFinished(async () => {
        child.kill('SIGKILL');
        await exitOf(child);
      });
      return createLineClient(child.stdin, child.stdout);
    },
    cli: (...words: readonly string[]) => {
      const { stdout, stderr } = spawnSync(process.execPath, [startFile, ...words, ...flags], {
        ...options,
        encoding: 'utf8',
      });
      return stdout + stderr;
    },
    terminal: (...words: readonly string[]) => {
      const as = isRoot ? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'] : [];
      return spawnInTerminal([...as, process.execPath, startFile, ...words, ...flags], { env });
    },
  };
}

type Client = ReturnType<ReturnType<typeof makeWorld>['serve']>;

async function send(client: Client, input: object): Promise<string> {
  return JSON.stringify(await client.call('shell_exec', input));
}

function idIn(reply: string): string {
  expect(reply).toContain('approval_pending');
  return /apr_\w+/.exec(reply)?.[0] ?? '';
}

test('over the wire, a person at a terminal lets an ordinary user run one command outside', async () => {
  const world = makeWorld();
  const client = world.serve();
  const list = JSON.stringify(await client.request('tools/list', {}));
  expect(list).toContain('Why it must run outside the sandbox');
  const made = world.at('root/made.txt');
  const input = {
    command: `sh -c "env > ${made}; echo new > a.txt; pwd"`,
    outside: 'it needs the real home',
  };

  const id = idIn(await send(client, input));
  expect(world.cli('approve', id)).toContain('answer it in a terminal');
  expect(world.cli('approve', id, '--json')).toContain('answer it in a terminal');
  expect(world.cli('approve', id, '--deny')).toContain('declined');
  const again = idIn(await send(client, input));
  expect(again).not.toBe(id);
  expect(existsSync(made)).toBe(false);

  const no = world.terminal('approve', again);
  await no.until('Run it outside the sandbox? [y/N]');
  const shown = no.shown();
  for (const words of [
    made,
    `Folder: ${world.at('root')}`,
    `HOME=${world.at('home')}`,
    'SSH_AUTH_SOCK=/run/agent',
    'it needs the real home',
  ])
    expect(shown).toContain(words);
  no.type('\r');
  expect(await no.ended).toBe(1);
  expect(idIn(await send(client, input))).toBe(again);

  const yes = world.terminal('approve', again);
  await yes.until('Run it outside the sandbox? [y/N]');
  yes.type('y\r');
  expect(await yes.ended).toBe(0);
  // Another server on the same records is another session.
  expect(idIn(await send(world.serve(), input))).not.toBe(again);
  expect(existsSync(made)).toBe(false);
  const reply = await send(client, input);
  expect(reply).toContain(`${world.at('root')}\\n`);
  expect(reply).toContain('[outside: it ran outside the sandbox, as the user');
  expect(readFileSync(made, 'utf8')).toContain(`HOME=${world.at('home')}\n`);
  expect(idIn(await send(client, input))).not.toBe(again);

  expect(world.cli('audit', 'search', '--json', '--tool', 'shell_exec')).toContain('"outside":true');
  const undone = world.cli('undo', '--since', '1h');
  expect(undone).toContain('ran outside the sandbox: what it changed outside the folders is not undone');
  expect(readFileSync(world.at('root/a.txt'), 'utf8')).toBe('old\n');
  expect(existsSync(made)).toBe(false);
});

// Only root can make a program that gains rights.
test('a program that gains rights does so outside and not inside', needs(superuser()), async () => {
  const world = makeWorld();
  const client = world.serve();
  const inside = idIn(await send(client, { command: world.gains }));
  world.cli('approve', inside);
  expect(await send(client, { command: world.gains })).not.toContain('euid=0');
  const input = { command: world.gains, outside: 'it needs root' };
  const yes = world.terminal('approve', idIn(await send(client, input)));
  await yes.until('[y/N]');
  yes.type('y\r');
  expect(await yes.ended).toBe(0);
  const reply = await send(client, input);
  expect(reply).toContain('euid=0(root)');
  expect(reply).toContain('not recorded');
});

test('where it is never, the tool is as it was, and the refusal names the key', async () => {
  const client = makeWorld({ process: { outside: 'never' } }).serve();
  expect(JSON.stringify(await client.request('tools/list', {}))).not.toContain('outside');
  expect(await send(client, { command: 'true', outside: 'x' })).toContain('process.outside is \\"never\\"');
  expect(await send(client, { command: 'touch /etc/x' })).not.toContain('[outside');
});
