import { createInterface } from 'node:readline/promises';
import type { Checkpoint } from '../../checkpoint/index.ts';
import type { Flags } from '../../config/load.ts';
import { ConfigError } from '../../contract/error.ts';
import type { Acts, Operator, ServerReview } from '../../contract/operator.ts';
import { cleanText } from '../../contract/text/clean-text.ts';
import type { Locale } from '../../contract/text/text.ts';
import type { ServerStatus } from '../../contract/upstream.ts';
import { counted } from '../common/counted.ts';
import { say } from '../common/say.ts';
import { withOperator } from '../common/with-operator.ts';
import { examine, placeOf, type ServerReport } from './report.ts';

type Options = Readonly<Record<string, unknown>>;
type Upstreams = Awaited<ReturnType<Checkpoint['rooms']['upstreams']>>;

/** Proxied servers, their tools and what waits for a person's look. Starts none of them. */
export function listServers(flags: Flags, options: Options): Promise<number> {
  return withUpstreams(flags, async (upstreams, locale) => {
    const places = new Map(upstreams.servers.map(({ settings }) => [settings.name, placeOf(settings)]));
    const listed = upstreams.status().map((status) => ({ ...status, place: places.get(status.name) ?? '' }));
    show(listed, options, locale);
    return 0;
  });
}

/** Starts servers and says how each is; exit code 1 if one does not work. */
export function checkServers(name: string | undefined, flags: Flags, options: Options): Promise<number> {
  return withUpstreams(flags, async (upstreams, locale) => {
    const servers = name === undefined ? upstreams.servers : [serverOf(upstreams, name)];
    const reports = await Promise.all(servers.map(examine));
    show(reports, options, locale);
    return reports.every(({ works }) => works) ? 0 : 1;
  });
}

/** Shows what changed, and lets it in when a person says so: by an answer, or by the digest of what they saw. */
export function approveServer(name: string, flags: Flags, options: Options): Promise<number> {
  return withUpstreams(flags, async (upstreams, _locale, { acts, operator }) => {
    serverOf(upstreams, name);
    const review = await operator.review(name);
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
    const approved = await acts.approveServer(name, digest);
    if (!approved) {
      say(`The server changed again; look anew: sekisho server approve ${name}`);
      return 1;
    }
    say(`${name}: approved.`);
    return 0;
  });
}

/** Forgets what was approved; the server is met as a stranger the next time. */
export function forgetServer(name: string, flags: Flags): Promise<number> {
  return withUpstreams(flags, async (upstreams, _locale, { acts }) => {
    serverOf(upstreams, name);
    await acts.forgetServer(name);
    say(`${name}: forgotten.`);
    return 0;
  });
}

/** Opens what the settings say, without serving it. */
export function withUpstreams(
  flags: Flags,
  work: (
    upstreams: Upstreams,
    locale: Locale,
    by: { readonly acts: Acts; readonly operator: Operator },
  ) => Promise<number>,
): Promise<number> {
  return withOperator(flags, async ({ checkpoint, ...by }) =>
    work(await checkpoint.rooms.upstreams(), checkpoint.settings.locale, by),
  );
}

export function serverOf(upstreams: Upstreams, name: string): Upstreams['servers'][number] {
  const server = upstreams.servers.find(({ settings }) => settings.name === name);
  if (server) return server;
  const known = upstreams.servers.map(({ settings }) => settings.name).join(', ') || 'none';
  throw new ConfigError(`There is no enabled server ${JSON.stringify(name)}; there are: ${known}.`);
}

type Shown = ServerStatus & Pick<ServerReport, 'place'> & Partial<Pick<ServerReport, 'words' | 'hint'>>;

function show(servers: readonly Shown[], options: Options, locale: Locale): void {
  if (options.json) {
    say(JSON.stringify(servers, null, 2));
    return;
  }
  if (servers.length === 0) say('No servers are configured. `sekisho import` takes over those of a client.');
  for (const { name, state, place, problem, tools, held, words, hint } of servers) {
    say([name, state, counted(tools.length, 'tool'), place, problem?.[locale]].filter(Boolean).join('  '));
    for (const tool of tools) say(`  ${tool}`);
    for (const tool of held) say(`  held back: ${lineOf(tool)}`);
    if (held.length > 0) say(`  look at it: sekisho server approve ${name}`);
    for (const line of (words ?? '').split('\n')) if (line.trim() !== '') say(`  | ${line}`);
    if (hint) say(`  ${hint[locale]}`);
  }
}

function lineOf({ name, why, findings }: ServerStatus['held'][number]): string {
  return cleanText(`${name} (${[why, ...findings].join('; ')})`);
}

function describe(name: string, review: ServerReview): string {
  const parts = review.changes.map(({ diff, ...held }) => `${lineOf(held)}\n${cleanText(diff)}`);
  const removed = review.removed.map((tool) => cleanText(`${tool} (removed)`));
  return [`Server ${name}:`, ...parts, ...removed].join('\n');
}

async function agrees(): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question('Approve this? [y/N] ');
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}
