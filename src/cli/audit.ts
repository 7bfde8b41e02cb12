import { setTimeout as sleep } from 'node:timers/promises';
import { openCheckpoint } from '../checkpoint/index.ts';
import { type Flags, loadSettings } from '../config/load.ts';
import { cleanLine } from '../contract/clean-text.ts';
import type { AuditEntry, AuditLog } from '../contract/records.ts';
import { counted } from './counted.ts';
import { durationMs, wholeNumber } from './duration.ts';
import { flushOutput, note, say } from './say.ts';

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
    if (last === 0 && !options.json) note('No call was recorded yet.');
    while (options.follow) {
      await sleep(followMs);
      // The reader may leave while there is nothing to write.
      await flushOutput();
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
    if (found.length === 0 && !options.json) note('No entry fits.');
    return found.length > 0 ? 0 : 1;
  });
}

/** Exit code 1 where anything was changed, removed or cut off. */
export async function verifyAudit(flags: Flags, options: Options): Promise<number> {
  const settings = loadSettings(flags);
  const checkpoint = await openCheckpoint(settings);
  try {
    const log = await (await checkpoint.store()).audit.verify();
    // The mirror of the pipeline's writes is a record too: it must agree with its index and the files.
    const mirror = settings.toolsets.includes('pipeline')
      ? await (await checkpoint.rooms.pipelines()).verify()
      : undefined;
    if (options.json) say(JSON.stringify(mirror ? { ...log, mirror } : log));
    else {
      if (log.ok) say(`${counted(log.entries, 'entry', 'entries')}, unbroken. Head ${log.head}.`);
      else say(`Broken at entry ${log.seq}: ${log.problem}`);
      if (mirror?.ok) say(`${mirror.records} mirrored writes agree.`);
      else if (mirror) say(`The mirror does not agree: ${mirror.problem}`);
    }
    return log.ok && mirror?.ok !== false ? 0 : 1;
  } finally {
    await checkpoint.close();
  }
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
  // Callers wrote most of it, and a terminal obeys what it is shown.
  say(
    [
      new Date(entry.atMs).toISOString(),
      entry.principal,
      entry.tool,
      `${outcome} at ${entry.stop}${rule}`,
      `${entry.durationMs} ms`,
      JSON.stringify(entry.arguments ?? {}),
      entry.id,
    ]
      .map((part) => cleanLine(String(part)))
      .join('  '),
  );
}
