/**
 * Two hundred steps of everyday work with registries, through a blind tunnel and through the edge: the same exit codes and
 * the same files, and a question only for what publishes or pushes. `npx vitest run --project slow test/edge/work`.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { CommandRunner } from '../../src/command/commands.ts';
import { createTestJudge } from '../support/effects-judge.ts';
import { needs, programs, sandbox } from '../support/needs.ts';
import { names, openRegistries } from './registries/registries.ts';
import { families, type Step } from './registries/steps.ts';
import { cargo, toolchain } from './ways/world.ts';
import { yes } from './world.ts';

const base = realpathSync(mkdtempSync('/var/tmp/sekisho-work-'));

test('work with registries is the same with the edge', {
  ...needs(sandbox('bubblewrap')),
  timeout: 2_400_000,
}, async () => {
  const registries = await openRegistries(base);
  const here = families.map((steps) => steps.filter(({ program }) => !programs(program)));
  const without = await work(registries, here, { isInspected: false });
  const within = await work(registries, here, { isInspected: true });
  registries.close();
  const unlike = here.flat().flatMap(({ line }, at) => {
    const [one, other] = [without.done[at], within.done[at]];
    return one?.code === other?.code ? [] : [{ line, one, other }];
  });
  expect(unlike).toEqual([]);
  expect(within.files).toEqual(without.files);
  const asked = here
    .flat()
    .flatMap(({ line, asks = false }, at) =>
      asks === (within.done[at]?.questions ?? 0) > 0 ? [] : [{ line, ...within.done[at] }],
    );
  expect(asked).toEqual([]);
  expect(here.flat().length).toBeGreaterThanOrEqual(200);
  const failing = within.done.filter(({ code }) => code !== 0).length;
  process.stdout.write(
    `${here.flat().length} steps, ${failing} of them meant to fail, ${within.files.size} files: no difference\n`,
  );
  rmSync(base, { recursive: true, force: true });
});

interface Done {
  readonly code: number | null;
  readonly questions: number;
  readonly words: string;
}

/** The registries begin empty. */
async function work(
  registries: Awaited<ReturnType<typeof openRegistries>>,
  here: readonly (readonly Step[])[],
  { isInspected }: { readonly isInspected: boolean },
) {
  registries.reset();
  const root = join(base, isInspected ? 'edge' : 'tunnel');
  mkdirSync(root);
  cpSync(join(import.meta.dirname, 'registries/work.py'), join(root, 'work.py'));
  cpSync(registries.bundle, join(root, 'its.pem'));
  for (let at = 1; at <= 8; at++)
    execFileSync('git', [
      'init',
      '-q',
      '--bare',
      '-b',
      'main',
      registries.makeRepository(`ours/app${at}.git`),
    ]);
  const entries = names.map((name) => `${name}:${registries.port}`);
  const runner = new CommandRunner({
    roots: [{ hostPath: root, writable: true }],
    sandbox: 'required',
    backends: ['bubblewrap'],
    layers: `${root}-layers`,
    serverEnvironment: { PATH: process.env.PATH, HOME: process.env.HOME },
    readable: [dirname(dirname(process.execPath)), ...toolchain()],
    network: {
      key: 'process.network',
      tunnels: isInspected ? [] : [...entries, `127.0.0.2:${registries.port}`],
      trusted: () => registries.certificate,
      entries: [...entries, `127.0.0.2:${registries.port}`],
      resolve: async () => ['127.0.0.2'],
    },
  });
  const trusting = isInspected
    ? {}
    : Object.fromEntries(bundleVariables.map((name) => [name, join(root, 'its.pem')]));
  const environment = {
    ...trusting,
    CARGO_HOME: join(root, '.cache/cargo'),
    npm_config_cache: join(root, '.cache/npm'),
    GIT_AUTHOR_DATE: '2026-01-02T03:04:05Z',
    GIT_COMMITTER_DATE: '2026-01-02T03:04:05Z',
  };

  async function workOn(steps: readonly Step[], session: string): Promise<readonly Done[]> {
    let questions = 0;
    const judge = {
      ...createTestJudge(),
      // What a layer loses is not looked at here.
      allows: () => true,
      askAboutRequest: async () => {
        questions++;
        return yes;
      },
    };
    const done: Done[] = [];
    for (const { line } of steps) {
      const before = questions;
      const script = line.replaceAll('PORT', String(registries.port)).replaceAll('CARGO ', `${cargo()} `);
      const { exitCode, stdout, stderr } = await runner
        .forSession(session, { judge })
        .run(
          { kind: 'script', script, shell: 'bash' },
          { workingFolder: root, timeoutMs: 120_000, signal: new AbortController().signal, environment },
        );
      done.push({ code: exitCode, questions: questions - before, words: `${stdout}${stderr}`.slice(-600) });
    }
    return done;
  }
  const done = await Promise.all(here.map((steps, at) => workOn(steps, String(at))));
  await runner.close();
  return { done: done.flat(), files: filesOf(root) };
}

const bundleVariables = [
  ...['SSL_CERT_FILE', 'CURL_CA_BUNDLE', 'GIT_SSL_CAINFO', 'NODE_EXTRA_CA_CERTS', 'REQUESTS_CA_BUNDLE'],
  ...['PIP_CERT', 'CARGO_HTTP_CAINFO'],
];

/** Digests by path, without caches and what git and cargo keep for themselves. */
function filesOf(root: string): ReadonlyMap<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const paths = files.map(({ parentPath, name }) => relative(root, join(parentPath, name))).sort();
  return new Map(
    paths
      .filter((path) => !/(^|\/)(\.cache|target|__pycache__)\/|\.git\/(?!refs\/|packed-refs)/.test(path))
      .map((path) => [
        path,
        createHash('sha256')
          .update(readFileSync(join(root, path)))
          .digest('hex'),
      ]),
  );
}
