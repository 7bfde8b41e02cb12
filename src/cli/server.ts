import { createInterface } from 'node:readline/promises';
import { createTwoFilesPatch } from 'diff';
import { type Checkpoint, openCheckpoint } from '../checkpoint.ts';
import { type Flags, loadSettings } from '../config/load.ts';
import { cleanText } from '../contract/clean-text.ts';
import { ConfigError, ToolError } from '../contract/error.ts';
import type { ServerStatus } from '../contract/upstream.ts';
import { say } from './say.ts';

type Options = Readonly<Record<string, unknown>>;
type Upstreams = Awaited<ReturnType<Checkpoint['rooms']['upstreams']>>;
type Review = NonNullable<ReturnType<Upstreams['pins']['review']>>;

/** Proxied servers, their tools and what waits for a person's look. Starts none of them. */
export function listServers(flags: Flags, options: Options): Promise<number> {
  return withUpstreams(flags, async (upstreams) => {
    show(upstreams.status(), options);
    return 0;
  });
}

/** Starts servers and says how each is; exit code 1 if one does not work. */
export function checkServers(name: string | undefined, flags: Flags, options: Options): Promise<number> {
  return withUpstreams(flags, async (upstreams) => {
    const servers = name === undefined ? upstreams.servers : [serverOf(upstreams, name)];
    const problems = await Promise.all(
      servers.map(async (server) => {
        try {
          await server.look(new AbortController().signal);
          return undefined;
        } catch (error) {
          return `${server.settings.name}: ${wordsOf(error)}`;
        }
      }),
    );
    show(
      servers.map((server) => server.status()),
      options,
    );
    const found = problems.filter((problem) => problem !== undefined);
    for (const problem of found) process.stderr.write(`${problem}\n`);
    return found.length === 0 ? 0 : 1;
  });
}

/** Shows what changed, and lets it in when a person says so: by an answer, or by the digest of what they saw. */
export function approveServer(name: string, flags: Flags, options: Options): Promise<number> {
  return withUpstreams(flags, async (upstreams) => {
    serverOf(upstreams, name);
    const review = upstreams.pins.review(name);
    if (!review) {
      say(`Nothing of ${name} waits for a look.`);
      return 0;
    }
    if (options.digest === undefined) {
      say(describe(name, review));
      if (!process.stdin.isTTY) {
        say(
          `Nothing is approved yet. To approve exactly this: sekisho server approve ${name} --digest ${review.digest}`,
        );
        return 1;
      }
      if (!(await agrees())) return 1;
    }
    const digest = options.digest === undefined ? review.digest : String(options.digest);
    if (!upstreams.pins.approve(name, digest)) {
      say(`The server changed again; look anew: sekisho server approve ${name}`);
      return 1;
    }
    say(`${name}: approved.`);
    return 0;
  });
}

/** Forgets what was approved; the server is met as a stranger the next time. */
export function forgetServer(name: string, flags: Flags): Promise<number> {
  return withUpstreams(flags, async (upstreams) => {
    serverOf(upstreams, name);
    upstreams.pins.forget(name);
    say(`${name}: forgotten.`);
    return 0;
  });
}

/** Opens what the settings say, without serving it. */
export async function withUpstreams(
  flags: Flags,
  work: (upstreams: Upstreams) => Promise<number>,
): Promise<number> {
  const checkpoint = await openCheckpoint(loadSettings(flags));
  try {
    return await work(await checkpoint.rooms.upstreams());
  } finally {
    await checkpoint.close();
  }
}

export function serverOf(upstreams: Upstreams, name: string): Upstreams['servers'][number] {
  const server = upstreams.servers.find(({ settings }) => settings.name === name);
  if (server) return server;
  const known = upstreams.servers.map(({ settings }) => settings.name).join(', ') || 'none';
  throw new ConfigError(`There is no enabled server ${JSON.stringify(name)}; there are: ${known}.`);
}

function show(statuses: readonly ServerStatus[], options: Options): void {
  if (options.json) {
    say(JSON.stringify(statuses, null, 2));
    return;
  }
  if (statuses.length === 0) say('No servers are configured. `sekisho import` takes over those of a client.');
  for (const { name, state, problem, tools, held } of statuses) {
    say(`${name}  ${state}  ${tools.length} tools${problem ? `  ${problem.en}` : ''}`);
    for (const tool of tools) say(`  ${tool}`);
    for (const tool of held) say(`  held back: ${lineOf(tool)}`);
    if (held.length > 0) say(`  look at it: sekisho server approve ${name}`);
  }
}

function lineOf({ name, why, findings }: ServerStatus['held'][number]): string {
  return cleanText(`${name} (${[why, ...findings].join('; ')})`);
}

function describe(name: string, review: Review): string {
  const parts = review.changes.map(({ before, after, ...held }) => {
    const patch = createTwoFilesPatch('approved', 'now', spell(before), spell(after), '', '');
    return `${lineOf(held)}\n${cleanText(patch.split('\n').slice(1).join('\n'))}`;
  });
  const removed = review.removed.map((tool) => cleanText(`${tool} (removed)`));
  return [`Server ${name}:`, ...parts, ...removed].join('\n');
}

function spell(tool: unknown): string {
  return tool === undefined ? '' : `${JSON.stringify(tool, null, 2)}\n`;
}

async function agrees(): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question('Approve this? [y/N] ');
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

/** For the operator, who may read the server's own words. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof ToolError)) return String(error);
  const cause = error.cause instanceof Error ? error.cause.message : error.cause;
  return cleanText([error.text.en, cause ? String(cause).slice(-2000) : ''].filter(Boolean).join('\n'));
}
