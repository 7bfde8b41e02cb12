import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callPage } from '../../src/console/pages/calls.ts';
import type { View } from '../../src/console/pages/view.ts';
import { readSaid } from '../../src/contract/text/text.ts';
import { needs, programs, sandbox } from '../support/needs.ts';
import { runCommand } from '../support/run-command.ts';
import { openOrigin } from './world.ts';

const folder = mkdtempSync('/var/tmp/sekisho-rules-');
const root = join(folder, 'project');
let origin: Awaited<ReturnType<typeof openOrigin>>;
let base = '';

beforeAll(async () => {
  origin = await openOrigin('127.0.0.2');
  base = `127.0.0.2:${origin.port}`;
  mkdirSync(root);
  writeFileSync(join(root, 'large'), 'x'.repeat(2000));
  writeFileSync(join(folder, 'its.pem'), origin.certificate);
  writeFileSync(
    join(folder, 'config.json'),
    JSON.stringify({
      process: { network: [base] },
      approval: { waitMs: 0 },
      rules: [
        { id: 'ours', effect: { sends: `${base}/repos/ours/**` }, then: 'allow' },
        { id: 'large', effect: { sends: '> 1 kB' }, then: 'ask', answer: 'person' },
        {
          id: 'never',
          effect: { sends: base, kind: ['delete', 'rights'] },
          then: 'deny',
          because: 'deleting is for people',
        },
      ],
    }),
  );
});
afterAll(() => {
  origin.close();
  rmSync(folder, { recursive: true, force: true });
});

const view: View = {
  say: (...said) => readSaid(said).text.en,
  locale: 'en',
  person: { name: 'console:me', principal: 'me', isOperator: false, face: 'console' },
  // Only the clock is asked.
  dependencies: { now: () => 0 } as View['dependencies'],
  csrf: '',
  here: new URL('http://localhost/calls'),
  waiting: 0,
  halt: undefined,
  needsUnlock: false,
  assets: { css: '', scripts: [], icon: '' },
};

const sekisho = (...args: readonly string[]) =>
  runCommand([...args, '--config', join(folder, 'config.json'), '--profile', 'coding'], root, {
    HOME: folder,
    SSL_CERT_FILE: join(folder, 'its.pem'),
  });
const bash = (command: string, more: object = {}) =>
  sekisho('call', 'bash', JSON.stringify({ command, ...more }));

describe('rules about what is sent', needs(sandbox('bubblewrap'), programs('curl')), () => {
  test('decide about a request, and the log, the history and why tell what was sent', async () => {
    const url = `https://${base}`;
    const said = await bash(
      [
        `curl -sS -d plans ${url}/repos/ours/app/issues`,
        `curl -sS -d plans '${url}/repos/ours/..%2ftheirs/issues'`,
        `curl -sS -X DELETE ${url}/repos/ours/app`,
        `curl -sS -d @large ${url}/repos/ours/app/issues`,
      ].join('; '),
    );
    expect(origin.arrived.map(({ line }) => line)).toEqual(['POST /repos/ours/app/issues']);
    expect(said.stdout).toContain('The rule never refuses this request: deleting is for people.');
    expect(said.stdout).toContain(`POST /repos/ours/app/issues, allowed by rule ours`);
    expect(said.stdout).toContain(`did not send 3 requests to ${base}: `);

    const waiting: { rule: string; answer?: string }[] = JSON.parse(
      (await sekisho('approve', '--json')).stdout,
    );
    expect(waiting.map(({ rule, answer }) => [rule, answer]).toSorted()).toEqual([
      ['large', 'person'],
      ['request-send', undefined],
    ]);

    const history = await sekisho('history');
    expect(history.stdout).toMatch(
      new RegExp(
        `^\\S+  \\S+  sent POST ${base}/repos/ours/app/issues \\(send\\), allowed by rule ours  bash by `,
        'm',
      ),
    );
    expect(history.stdout).not.toContain('DELETE');
    const id = /^(\S+) .*sent POST/m.exec(history.stdout)?.[1] ?? '';
    const why = await sekisho('policy', 'why', id);
    expect(why.stdout).toContain(
      `Request: POST ${base}/repos/ours/app/issues (send), allowed by rule ours\n`,
    );
    expect(why.stdout).toContain(`Request: DELETE ${base}/repos/ours/app (delete), not sent\n`);
    const entry = JSON.parse((await sekisho('policy', 'why', id, '--json')).stdout);
    const page = `${callPage(entry, [], view)}`;
    expect(page).toContain(`<li>DELETE ${base}/repos/ours/app (delete), not sent</li>`);
  });

  test('do not make a dry run send, which tells what it would have sent', async () => {
    origin.arrived.length = 0;
    const said = await bash(`curl -sS -w '%{http_code}' -d plans https://${base}/repos/ours/app/issues`, {
      dry_run: true,
    });
    expect(said.stdout).toContain('403');
    expect(said.stdout).toContain(
      `did not send 1 request to ${base}: POST /repos/ours/app/issues. This is a dry run: requests that do more than read are not sent.`,
    );
    expect(origin.arrived).toEqual([]);
  });
});
