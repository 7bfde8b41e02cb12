import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openReceiver } from '../observe/receiver.ts';
import { createLineClient, modernCall } from '../support/clients.ts';
import { needs, programs, sandbox } from '../support/needs.ts';
import { startFile } from '../support/run-command.ts';
import { openOrigin } from './world.ts';

const values = { kept: 'ghp_aCanaryThatNobodyMaySee42', shown: 'ghp_bCanaryInAVariable1234567' };
const forms = Object.values(values).flatMap((value) => [
  value,
  Buffer.from(`x-access-token:${value}`).toString('base64'),
  Buffer.from(value).toString('hex'),
]);
const found = (bytes: Buffer) => forms.filter((form) => bytes.includes(form));

const folder = mkdtempSync(join(tmpdir(), 'sekisho-crash-'));
let child: ChildProcess | undefined;
afterEach(() => {
  child?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

function plainCores() {
  const isPlain = readFileSync('/proc/sys/kernel/core_pattern', 'utf8').startsWith('core');
  return isPlain ? undefined : 'cores go elsewhere';
}

test(
  'A server that crashes while a secret is used leaves it in no core, report and span',
  needs(sandbox('bubblewrap'), programs('curl'), plainCores()),
  async () => {
    const origin = await openOrigin('127.0.0.2');
    await using receiver = await openReceiver();
    const host = `127.0.0.2:${origin.port}`;
    for (const name of ['root', 'state']) mkdirSync(join(folder, name));
    writeFileSync(join(folder, 'its.pem'), origin.certificate);
    writeFileSync(join(folder, 'kept'), values.kept);
    const config = {
      mode: 'full-access',
      process: { network: [host] },
      secrets: {
        kept: { hosts: [host], from: { file: join(folder, 'kept') } },
        shown: { hosts: [host], from: { env: 'SHOWN' } },
      },
    };
    writeFileSync(join(folder, 'sekisho.jsonc'), JSON.stringify(config));
    const place = `--root root --state state --config sekisho.jsonc`;
    const line = `ulimit -c unlimited; exec "$0" --report-on-signal --report-on-fatalerror --report-directory=. "$1" serve ${place} --profile coding`;
    child = spawn('bash', ['-c', line, process.execPath, startFile], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        SHOWN: values.shown,
        SSL_CERT_FILE: join(folder, 'its.pem'),
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
        OTEL_BSP_SCHEDULE_DELAY: '100',
        SEKISHO_RESIDENT: 'off',
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    if (!child.stdin || !child.stdout) throw new Error('no pipes');
    const client = createLineClient(child.stdin, child.stdout);
    const call = (id: number, tool: string, input: object) => client.send({ ...modernCall(tool, input), id });
    const used = new Set<string>();
    // It never answers.
    origin.server.prependListener('request', (request, response) => {
      used.add(String(request.headers.authorization));
      response.end = (() => response) as never;
    });

    call(1, 'read_file', { path: `no/${values.kept}` });
    await client.next(({ id }) => id === 1);
    // Before it has threads that wait in the kernel, for which a report would wait.
    child.kill('SIGUSR2');
    const named = (start: string) => readdirSync(folder).find((name) => name.startsWith(start));
    const report = () => readFileSync(join(folder, named('report') ?? 'sekisho.jsonc'), 'utf8');
    await expect
      .poll(() => report().includes('"javascriptStack"') && report().trimEnd().endsWith('\n}'))
      .toBe(true);
    const curl = (name: string) => `curl -sS -H "Authorization: Bearer $${name}" https://${host}/ & `;
    call(2, 'bash', { command: `${curl('KEPT_TOKEN')}${curl('SHOWN_TOKEN')}wait` });
    await expect.poll(() => used.size).toBe(2);
    expect([...used].toSorted()).toEqual(Object.values(values).map((value) => `Bearer ${value}`));
    const ended = once(child, 'exit');
    child.kill('SIGABRT');
    await ended;
    const core = readFileSync(join(folder, named('core') ?? 'no core'));

    expect(core.subarray(1, 4).toString()).toBe('ELF');
    expect(found(core)).toEqual([]);
    expect(found(Buffer.from(report()))).toEqual([]);
    expect(receiver.spans.length).toBeGreaterThan(0);
    expect(found(Buffer.from(receiver.bodies.join('')))).toEqual([]);
    // The search sees what is there.
    expect(found(Buffer.from(forms.join(' ')))).toHaveLength(6);
    origin.close();
  },
);
