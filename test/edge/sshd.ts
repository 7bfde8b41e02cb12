import { execFileSync, type SpawnSyncReturns, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export const sshd = '/usr/sbin/sshd';

/** Keys, an agent that holds one of them, and sshd on a port of this machine, for the user that runs the tests. */
export async function openSshd() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-sshd-')));
  const keygen = (name: string, type = 'ed25519') => {
    execFileSync('ssh-keygen', ['-q', '-t', type, '-N', '', '-C', `${name}@test`, '-f', join(folder, name)]);
    return readFileSync(join(folder, `${name}.pub`), 'utf8').trim();
  };
  const [mine, other, hostKey] = [keygen('mine'), keygen('other'), keygen('host')];
  keygen('impostor');
  writeFileSync(join(folder, 'authorized'), `${mine}\n${other}\n`);
  // Where sshd leaves its rights if it has any.
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const agent = join(folder, 'agent');
  const agentProcess = spawn('ssh-agent', ['-D', '-a', agent], { stdio: 'ignore' });
  const port = await freePort();
  let server = startServer('host');
  await opened(port);
  for (let tries = 0; tries < 100; tries++) {
    if (add('mine').status === 0 && add('other').status === 0) break;
    await sleep(50);
  }

  function add(name: string): Pick<SpawnSyncReturns<string>, 'status'> {
    try {
      execFileSync('ssh-add', ['-q', join(folder, name)], {
        env: { ...process.env, SSH_AUTH_SOCK: agent },
        stdio: 'pipe',
      });
      return { status: 0 };
    } catch {
      return { status: 1 };
    }
  }

  function startServer(key: string) {
    const settings = {
      ListenAddress: '127.0.0.1',
      Port: port,
      HostKey: join(folder, key),
      AuthorizedKeysFile: join(folder, 'authorized'),
      PidFile: 'none',
      StrictModes: 'no',
      UsePAM: 'no',
      PasswordAuthentication: 'no',
      KbdInteractiveAuthentication: 'no',
      PermitRootLogin: 'yes',
      Subsystem: 'sftp internal-sftp',
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    return spawn(sshd, ['-D', '-e', '-f', '/dev/null', ...options], { stdio: ['ignore', 'ignore', 'pipe'] });
  }

  return {
    folder,
    port,
    agent,
    mine,
    other,
    hostKey,
    /** Starts it again with another key of its own. */
    async change() {
      server.kill();
      await new Promise((resolve) => server.once('exit', resolve));
      server = startServer('impostor');
      await opened(port);
    },
    close() {
      server.kill();
      agentProcess.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

async function opened(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    try {
      execFileSync('ssh-keyscan', ['-T', '2', '-p', String(port), '127.0.0.1'], { stdio: 'pipe' });
      return;
    } catch {
      await sleep(50);
    }
  }
  throw new Error('sshd did not begin to listen');
}
