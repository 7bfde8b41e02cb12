/**
 * Programs whose request a person reads for a minute: each ends as if it had been answered at once, and none sends it
 * twice. `npx vitest run --project slow test/edge/patience`.
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CommandRunner } from '../../src/command/commands.ts';
import { createTestJudge } from '../support/effects-judge.ts';
import { needs, programs, sandbox } from '../support/needs.ts';
import type { Way } from './ways/table.ts';
import { openHost, toolchain } from './ways/world.ts';
import { yes } from './world.ts';

/** Longer than the limits of a minute that some have. */
const minuteMs = 65_000;
const python = (code: string) => `python3 -c "import sys\n${code}" {URL}/notes '{WORDS}'`;
const registry = '--registry {URL}/ --strict-ssl=false "--//$(echo {URL} | cut -d/ -f3)/:_authToken=abc"';
const git = 'git -C repo -c user.name=a -c user.email=a@b.example';

/** By their own settings. Those that gave up within 130 s without the edge's help are marked with their time. */
const ways: readonly (Way & { readonly gaveUpAfter?: string })[] = [
  { program: 'curl', line: "curl -fsS -d '{WORDS}' {URL}/notes" },
  { program: 'wget', line: "wget -qO- --post-data='{WORDS}' {URL}/notes" },
  {
    program: 'git',
    line: `${git} commit -q --allow-empty -m '{WORDS}' && ${git} push -q {URL}/app.git HEAD:main`,
  },
  { program: 'npm', line: `(cd pack && npm publish ${registry})` },
  { program: 'yarn', line: `(cd pack && yarn publish --non-interactive ${registry})`, gaveUpAfter: '30 s' },
  {
    program: 'pip3',
    line: `pip3 index versions six --disable-pip-version-check --index-url "{URL}/simple/$(echo '{WORDS}' | sed 's/ /%20/g')"`,
    gaveUpAfter: '15 s',
  },
  {
    program: 'cargo',
    line: '(cd crate && CARGO_REGISTRIES_HERE_TOKEN=abc {CARGO} publish -q --registry here --allow-dirty --no-verify)',
    gaveUpAfter: '37 s',
  },
  {
    program: 'aws',
    line: "echo '{WORDS}' > a.txt; AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b AWS_DEFAULT_REGION=us-east-1 aws --endpoint-url {URL} s3 cp a.txt s3://bucket/a.txt",
    gaveUpAfter: '60 s',
  },
  {
    program: 'ruby',
    line: `ruby -rnet/http -e 'puts Net::HTTP.post(URI(ARGV[0]), ARGV[1]).body' {URL}/notes '{WORDS}'`,
    gaveUpAfter: '60 s',
  },
  {
    program: 'httpx',
    line: python('import httpx; print(httpx.post(sys.argv[1], content=sys.argv[2]).raise_for_status().text)'),
    gaveUpAfter: '5 s',
  },
  {
    program: 'python3',
    line: python('import urllib.request as u; print(u.urlopen(sys.argv[1], sys.argv[2].encode()).read())'),
  },
  {
    program: 'python3',
    line: python(
      'import requests; r = requests.post(sys.argv[1], sys.argv[2]); r.raise_for_status(); print(r.text)',
    ),
  },
  {
    program: 'node',
    line: `node -e 'fetch(process.argv[1], { method: "POST", body: process.argv[2] }).then((r) => { if (!r.ok) throw r.status; })' {URL}/notes '{WORDS}'`,
  },
  { program: 'javac', line: "java -Dhttp.nonProxyHosts= -cp . Ways HttpClient {URL} '{WORDS}'" },
  { program: 'javac', line: "java -Dhttp.nonProxyHosts= -cp . Ways URL {URL} '{WORDS}'" },
  {
    program: 'perl',
    line: `perl -MHTTP::Tiny -e '$_ = HTTP::Tiny->new->post($ARGV[0], { content => $ARGV[1] }); die $_->{status} unless $_->{success}' {PLAIN}/notes '{WORDS}'`,
    gaveUpAfter: '60 s',
  },
];

const root = realpathSync(mkdtempSync('/var/tmp/sekisho-patience-'));

describe('Programs wait for a person', needs(sandbox('bubblewrap')), () => {
  let host: Awaited<ReturnType<typeof openHost>>;
  let runner: CommandRunner;
  beforeAll(async () => {
    host = await openHost();
    runner = new CommandRunner({
      roots: [{ hostPath: root, writable: true }],
      sandbox: 'required',
      backends: ['bubblewrap'],
      layers: `${root}-layers`,
      serverEnvironment: { PATH: process.env.PATH, HOME: process.env.HOME },
      readable: [dirname(dirname(process.execPath)), ...toolchain()],
      network: {
        key: 'process.network',
        tunnels: [],
        trusted: () => host.certificate,
        entries: host.entries,
      },
    });
    await host.prepare(root, (line) => run(line, 'before'));
  }, 120_000);
  afterAll(async () => {
    await runner.close();
    host.close();
    for (const folder of [root, `${root}-layers`]) rmSync(folder, { recursive: true, force: true });
  });

  const judge = {
    ...createTestJudge(),
    async askAboutRequest() {
      await sleep(minuteMs);
      return yes;
    },
  };
  const run = (script: string, session: string) =>
    runner
      .forSession(session, { judge })
      .run(
        { kind: 'script', script, shell: 'bash' },
        { workingFolder: root, timeoutMs: 5 * minuteMs, signal: new AbortController().signal },
      );

  test('for a minute, and send once', { timeout: 8 * minuteMs }, async () => {
    const here = ways.filter(({ program }) => !programs(program));
    host.arrived.length = 0;
    const ended = await Promise.all(
      here.map(async ({ line }, at) => ({ line, ...(await run(host.lineOf(line, 100 + at), String(at))) })),
    );
    const failed = ended.filter(({ exitCode }) => exitCode !== 0);
    expect(failed.map(({ line, stdout, stderr }) => ({ line, stdout, stderr }))).toEqual([]);
    expect(Math.min(...ended.map(({ durationMs }) => durationMs))).toBeGreaterThan(minuteMs);
    const sent = host.arrived
      .filter((each) => !/^(GET|HEAD) /.test(each) || each.includes('%20for%20the%20spring'))
      .map((each) => each.replace(/ \{[^}]*\} /, ' '));
    expect(sent.filter((each, at) => sent.indexOf(each) !== at)).toEqual([]);
    const sentLines = sent.map((each) => each.slice(0, 80)).join('\n');
    expect(sent.length, sentLines).toBe(here.length);
    const missing = ways.filter((each) => !here.includes(each)).map(({ program }) => program);
    process.stdout.write(`${here.length} ways waited for a minute; not here: ${missing.join(', ')}\n`);
  });
});
