import { setTimeout as sleep } from 'node:timers/promises';
import { openCheckpoint, verifyMirrors } from '../checkpoint/index.ts';
import { loadSettings } from '../config/load.ts';
import type { Flags } from '../config/settings.ts';
import type { UnreachableMirror } from '../contract/capabilities/mirror.ts';
import type { AuditEntry, AuditLog } from '../contract/records.ts';
import { cleanLine } from '../contract/text/clean-text.ts';
import { type Text, text } from '../contract/text/text.ts';
import { counted } from '../ground/counted.ts';
import { actorsOf } from '../ground/records/actors.ts';
import { durationMs, wholeNumber } from './common/duration.ts';
import type { Options } from './common/options.ts';
import { flushOutput, inLocale, note, say, sayJson } from './common/say.ts';

const pageEntries = 1000;
const followMs = 300;

/** Prints the newest entries in order; with `--follow`, new ones as they come. */
export async function tailAudit(flags: Flags, options: Options): Promise<number> {
  return withLog(flags, async (log) => {
    const newest = await log.search({ limit: wholeNumber(options.lines, '--lines'), newestFirst: true });
    let last = 0;
    for (const entry of newest.toReversed()) {
      show(entry, options);
      last = entry.seq;
    }
    if (last === 0 && !options.json)
      note('No call was recorded yet.', '記録された呼び出しはまだありません。');
    while (options.follow) {
      await sleep(followMs);
      // Notices a reader that left while there was nothing to write.
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
    if (found.length === 0 && !options.json) note('No entry matches.', '該当する記録はありません。');
    return found.length > 0 ? 0 : 1;
  });
}

/** Exit code 1 if anything was changed, removed or cut off. */
export async function verifyAudit(flags: Flags, options: Options): Promise<number> {
  const settings = loadSettings(flags);
  await using checkpoint = await openCheckpoint(settings);
  const { audit } = await checkpoint.store();
  const log = await audit.verify();
  // The mirrors of the pipeline's writes are records too. A broken log cannot confirm them.
  const mirror = log.ok ? await verifyMirrors(settings, audit) : undefined;
  if (options.json) sayJson({ ...inEnglish(log), mirror: mirror && inEnglish(mirror) });
  else {
    if (log.ok)
      say(
        `${counted(log.entries, 'entry', 'entries')}, unbroken${log.forgotten ? `, after ${log.forgotten} removed by retention` : ''}. Head ${log.head}.`,
        `記録 ${log.entries} 件、改ざんや欠落はありません${log.forgotten ? `（それより前の ${log.forgotten} 件は保存期間が過ぎたため削除）` : ''}。末尾 ${log.head}`,
      );
    else
      say(
        `Broken at entry ${log.seq}: ${log.problem.en}`,
        `記録 ${log.seq} で壊れています: ${log.problem.ja}`,
      );
    if (mirror && !mirror.ok)
      say(
        cleanLine(`The mirror does not match: ${mirror.problem.en}.`),
        cleanLine(`控えが一致しません: ${mirror.problem.ja}。`),
      );
    else if (mirror?.records)
      say(
        `${counted(mirror.records, 'mirrored write matches', 'mirrored writes match')}.`,
        `書き込みの控え ${mirror.records} 件が一致しました。`,
      );
    if (mirror?.ok && mirror.unreachable) say(farAway(mirror.unreachable));
  }
  return log.ok && mirror?.ok !== false ? 0 : 1;
}

function farAway({ records, roots }: UnreachableMirror): Text {
  return text(
    `${counted(records, 'mirrored write is', 'mirrored writes are')} in folders that cannot be opened now: ${cleanLine(roots.join(', '))}`,
    `書き込みの控え ${records} 件は、現在開けないフォルダーにあります:  ${cleanLine(roots.join('、'))}`,
  );
}

/** Programs always get English. */
function inEnglish<T extends object>(verdict: T): object {
  return 'problem' in verdict ? { ...verdict, problem: (verdict.problem as Text).en } : verdict;
}

export async function exportAudit(flags: Flags): Promise<number> {
  return withLog(flags, async (log) => {
    let last = 0;
    for (;;) {
      const page = await log.search({ afterSeq: last, limit: pageEntries });
      for (const entry of page) sayJson(entry);
      const end = page.at(-1);
      if (!end) return 0;
      last = end.seq;
    }
  });
}

async function withLog(flags: Flags, use: (log: AuditLog) => Promise<number>): Promise<number> {
  await using checkpoint = await openCheckpoint(loadSettings(flags));
  return await use((await checkpoint.store()).audit);
}

function show(entry: AuditEntry, options: Options): void {
  if (options.json) {
    sayJson(entry);
    return;
  }
  const outcome = entry.code ?? entry.outcome;
  // Callers wrote most of it, so the text must not control the terminal.
  say(
    [
      new Date(entry.atMs).toISOString(),
      actorsOf(entry),
      entry.tool,
      inLocale(
        `${outcome} at ${entry.stop}${entry.rule ? ` by ${entry.rule}` : ''}`,
        `${outcome}（${entry.stop}${entry.rule ? `、ルール ${entry.rule}` : ''}）`,
      ),
      `${entry.durationMs} ms`,
      JSON.stringify(entry.arguments ?? {}),
      entry.id,
    ]
      .map((part) => cleanLine(String(part)))
      .join('  '),
  );
}
