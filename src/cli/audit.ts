import { setTimeout as sleep } from 'node:timers/promises';
import { openCheckpoint } from '../checkpoint.ts';
import { type Flags, loadSettings } from '../config/load.ts';
import type { AuditEntry, AuditLog } from '../contract/records.ts';
import { durationMs, wholeNumber } from './duration.ts';
import { say } from './say.ts';

type Options = Readonly<Record<string, unknown>>;

const pageEntries = 1000;
const followMs = 300;

/** The newest entries, oldest of them first; with `--follow`, new ones as they come. */
export async function tailAudit(flags: Flags, options: Options): Promise<number> {
  return withLog(flags, async (log) => {
    const newest = await log.search({ limit: wholeNumber(options.lines, '--lines'), newestFirst: true });
    let last = 0;
    for (const entry of newest.toReversed()) {
      show(entry, options);
      last = entry.seq;
    }
    while (options.follow) {
      await sleep(followMs);
      for (const entry of await log.search({ afterSeq: last, limit: pageEntries })) {
        show(entry, options);
        last = entry.seq;
      }
    }
    return 0;
  });
}

export async function searchAudit(
  words: string | undefined,
  flags: Flags,
  options: Options,
): Promise<number> {
  return withLog(flags, async (log) => {
    const found = await log.search({
      text: words,
      tool: options.tool as string | undefined,
      principal: options.principal as string | undefined,
      outcome: options.outcome as string | undefined,
      sinceMs:
        options.since === undefined ? undefined : Date.now() - durationMs(String(options.since), '--since'),
      limit: wholeNumber(options.limit, '--limit'),
      newestFirst: true,
    });
    for (const entry of found.toReversed()) show(entry, options);
    return found.length > 0 ? 0 : 1;
  });
}

/** Exit code 1 where anything was changed, removed or cut off. */
export async function verifyAudit(flags: Flags, options: Options): Promise<number> {
  return withLog(flags, async (log) => {
    const verdict = await log.verify();
    if (options.json) say(JSON.stringify(verdict));
    else if (verdict.ok) say(`${verdict.entries} entries, unbroken. Head ${verdict.head}.`);
    else say(`Broken at entry ${verdict.seq}: ${verdict.problem}`);
    return verdict.ok ? 0 : 1;
  });
}

export async function exportAudit(flags: Flags): Promise<number> {
  return withLog(flags, async (log) => {
    let last = 0;
    for (;;) {
      const page = await log.search({ afterSeq: last, limit: pageEntries });
      for (const entry of page) say(JSON.stringify(entry));
      const end = page.at(-1);
      if (!end) return 0;
      last = end.seq;
    }
  });
}

async function withLog(flags: Flags, use: (log: AuditLog) => Promise<number>): Promise<number> {
  const checkpoint = await openCheckpoint(loadSettings(flags));
  try {
    return await use((await checkpoint.store()).audit);
  } finally {
    await checkpoint.close();
  }
}

function show(entry: AuditEntry, options: Options): void {
  if (options.json) {
    say(JSON.stringify(entry));
    return;
  }
  const outcome = entry.code ?? entry.outcome;
  const rule = entry.rule ? ` by ${entry.rule}` : '';
  say(
    [
      new Date(entry.atMs).toISOString(),
      entry.principal,
      entry.tool,
      `${outcome} at ${entry.stop}${rule}`,
      `${entry.durationMs} ms`,
      JSON.stringify(entry.arguments ?? {}),
      entry.id,
    ].join('  '),
  );
}
