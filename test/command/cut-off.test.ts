import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { CommandRunner } from '../../src/command/commands.ts';
import type { CommandsOptions } from '../../src/command/commands-options.ts';
import { cutOffNotes } from '../../src/command/output/cut-off.ts';
import { needs, programs, sandbox } from '../support/needs.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-cut-off-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const note = '[network: commands reach no host; the operator can list those they need in process.network]\n';
const failed = { command: { kind: 'script', script: 'make', shell: 'sh' }, exitCode: 1 } as const;

function open(more: Partial<CommandsOptions>) {
  const runner = new CommandRunner({
    roots: [{ hostPath: root, writable: true }],
    sandbox: 'required',
    serverEnvironment: { PATH: process.env.PATH, HOME: process.env.HOME, PIP_RETRIES: '7' },
    readable: [dirname(dirname(process.execPath))],
    ...more,
  });
  const sh = (script: string) =>
    runner.forSession('one').run(
      { kind: 'script', script, shell: 'sh' },
      {
        workingFolder: root,
        timeoutMs: 60_000,
        signal: new AbortController().signal,
        // npm keeps its log and its cache here.
        environment: { HOME: root },
      },
    );
  return Object.assign(runner, { sh });
}

for (const name of ['bubblewrap', 'landlock'] as const) {
  describe(name, needs(sandbox(name)), () => {
    const runner = open({ backends: [name] });
    afterAll(() => runner.close());

    test(
      'npx of what is not there gives up by itself, and the answer says what would help',
      needs(programs('npx')),
      async () => {
        // Two retries take 20 seconds and more; the time for one command is set to a minute here.
        const result = await runner.sh('npx --yes sekisho-has-no-such-package');
        expect(result.timedOut).toBe(false);
        expect(result.exitCode).toBe(1);
        expect(result.stderr).toMatch(/npm error[\s\S]*registry/);
        expect(result.stderr.endsWith(note)).toBe(true);
      },
    );

    test('a program that is installed runs by npx', needs(programs('npx')), async () => {
      const bin = join(root, 'node_modules', '.bin');
      mkdirSync(bin, { recursive: true });
      writeFileSync(join(root, 'package.json'), '{"name":"it","version":"1.0.0"}');
      writeFileSync(join(bin, 'greet'), '#!/bin/sh\necho hello $1\n');
      chmodSync(join(bin, 'greet'), 0o755);
      const result = await runner.sh('npx greet you');
      expect(result).toMatchObject({ exitCode: 0, stdout: 'hello you\n' });
      expect(result.stderr).not.toContain('[network');
    });

    test('only a command that failed for the network is told of it', async () => {
      const failed = await runner.sh('echo "getaddrinfo EAI_AGAIN example.org" >&2; exit 3');
      expect(failed.stderr).toBe(`getaddrinfo EAI_AGAIN example.org\n${note}`);
      // The streams joined by 2>&1.
      expect((await runner.sh('echo "curl: (6) Could not resolve host: a"; exit 6')).stderr).toBe(note);
      expect((await runner.sh('echo EAI_AGAIN >&2')).stderr).toBe('EAI_AGAIN\n');
      expect((await runner.sh('echo "no such file" >&2; exit 1')).stderr).toBe('no such file\n');
    });

    test.each([
      ['curl -s https://example.org > page', 6],
      ['curl --silent --fail https://example.org/x | cat; exit ${PIPESTATUS[0]}', 6],
      ['wget -q https://example.org/', 4],
    ])('what fails without a word is told of it too: %s', async (line, code) => {
      const { exitCode, stderr } = await runner.sh(`command -v bash > /dev/null && bash -c '${line}'`);
      expect(exitCode).toBe(code);
      expect(stderr.endsWith(note)).toBe(true);
      expect((await runner.sh(`exit ${code}`)).stderr).toBe('');
    });

    test('what the operator passes on stays as it is', async () => {
      const both = 'echo $npm_config_fetch_retries $PIP_RETRIES';
      expect((await runner.sh(both)).stdout).toBe('0 1\n');
      const passing = open({ backends: [name], environment: ['PIP_RETRIES'] });
      expect((await passing.sh(both)).stdout).toBe('0 7\n');
      await passing.close();
    });
  });
}

test('without walls nothing is set, and nothing is added', async () => {
  const runner = open({ sandbox: 'off' });
  const result = await runner.sh(
    'echo "[$npm_config_fetch_retries]"; echo "Temporary failure in name resolution" >&2; exit 1',
  );
  expect(result.stdout).toBe('[]\n');
  expect(result.stderr).toBe('Temporary failure in name resolution\n');
  await runner.close();
});

describe('with a list', needs(sandbox('bubblewrap')), () => {
  const runner = open({ network: { entries: ['example.org'], key: 'process.network' } });
  afterAll(() => runner.close());

  test(
    'a program that does not use the proxy is told of it in one line',
    needs(programs('ssh')),
    async () => {
      const result = await runner.sh('echo "[$npm_config_fetch_retries]"; ssh -T git@example.org');
      expect(result.stdout).toBe('[]\n');
      expect(result.stderr).toMatch(
        /^ssh: connect to host example\.org port 22: Connection refused.*\n\[network: without the proxy only hosts are found .*use https instead of ssh\]\n$/,
      );
      const other = await runner.sh('ssh -T git@other.example.org');
      expect(other.stderr).toMatch(
        /^ssh: Could not resolve hostname .*\n\[network: without the proxy only hosts/,
      );
    },
  );

  test('a program that failed otherwise is not', async () => {
    expect((await runner.sh('echo "no such file" >&2; exit 1')).stderr).toBe('no such file\n');
    expect((await runner.sh('echo "Name or service not known" >&2')).stderr).toBe(
      'Name or service not known\n',
    );
  });
});

test.each([
  "wget: unable to resolve host address 'example.org'",
  'ssh: Could not resolve hostname github.com: Temporary failure in name resolution',
  'curl: (6) Could not resolve host: example.org',
  'npm error code ENOTCACHED',
  'java.net.UnknownHostException: example.org',
  'error: dns error: failed to lookup address information: Try again',
  'go: dial tcp: lookup proxy.golang.org on [::1]:53: read: connection refused',
  'connect: Network is unreachable',
])('%s is a look for the network', (line) => {
  expect(cutOffNotes([`${'x'.repeat(100_000)}\n${line}\n`], failed)).toEqual([note]);
});

test('what was said long before the end is not why it failed', () => {
  expect(cutOffNotes([`EAI_AGAIN\n${'x\n'.repeat(100_000)}`], failed)).toEqual([]);
});
