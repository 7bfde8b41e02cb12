import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Checkpoint } from '../checkpoint/index.ts';
import type { Flags } from '../config/settings.ts';
import type { HistoryEntry } from '../contract/capabilities/history.ts';
import type { AuditEntry } from '../contract/records.ts';
import { cleanLine } from '../contract/text/clean-text.ts';
import { type Text, text } from '../contract/text/text.ts';
import { type RecordedRequest, requestsIn, told as toldRequest } from '../ground/records/requests-in.ts';
import { changeKinds, changeOf } from '../ground/text/digest-words.ts';
import { describeChange, sizeOf } from '../operator/describe-change.ts';
import { durationMs, wholeNumber } from './common/duration.ts';
import type { Options } from './common/options.ts';
import { inLocale, note, say, sayJson } from './common/say.ts';
import { wholeEntryId } from './common/whole-id.ts';
import { withOperator } from './common/with-operator.ts';

/** Lists the changes of tools, and the requests that their commands sent, newest first. Exit code 1 if there are none. */
export function showHistory(path: string | undefined, flags: Flags, options: Options): Promise<number> {
  return withHistory(flags, async ({ checkpoint, folders }) => {
    const place = path === undefined ? undefined : folders[0]?.at(path);
    // The root of a single served file is its folder.
    const root = place && (folders[0]?.roots[place.rootIndex]?.hostPath ?? dirname(place.hostPath));
    const { history, audit } = await checkpoint.store();
    const sinceMs =
      options.since === undefined ? undefined : Date.now() - durationMs(String(options.since), '--since');
    const sought = {
      sessionId: options.session as string | undefined,
      sinceMs,
      limit: wholeNumber(options.limit, '--limit'),
    };
    const at = place && root ? { root, path: relative(root, place.hostPath) } : undefined;
    const entries = await history.list({ ...sought, at });
    for (const entry of entries)
      if (options.json) sayJson(entry);
      else say(describeEntry(entry));
    const sent = at ? [] : sentIn(await audit.search({ ...sought, text: 'allowedBy', newestFirst: true }));
    for (const { entry, request } of sent)
      if (options.json) sayJson({ auditId: entry.id, atMs: entry.atMs, request });
      else say(describeSent(entry, request));
    const interrupted = await audit.search({
      outcome: 'interrupted',
      sinceMs,
      afterSeq: sinceMs === undefined ? toldUpTo(checkpoint) : undefined,
      limit: 20,
      newestFirst: true,
    });
    if (entries.length + sent.length + interrupted.length === 0 && !options.json)
      say('Nothing was changed.', '変更はありません。');
    for (const { id, tool, atMs } of interrupted) {
      const [landed] = await history.list({ auditId: id, limit: 1 });
      const came = landed
        ? text('its changes are in place and listed', '変更は反映済みで、一覧にあります')
        : text(
            'what a command had changed by then is not listed',
            'それまでにコマンドが変更したものは一覧にありません',
          );
      note(
        `${cleanLine(tool)} at ${new Date(atMs).toISOString()} was interrupted with its server; ${came.en}: \`sekisho audit search ${id}\``,
        `${new Date(atMs).toISOString()} の ${cleanLine(tool)} はサーバーとともに中断されました。${came.ja}: \`sekisho audit search ${id}\``,
      );
    }
    const [newest] = interrupted;
    if (newest) writeFileSync(toldFile(checkpoint), String(newest.seq), { mode: 0o600 });
    return entries.length + sent.length > 0 ? 0 : 1;
  });
}

/** The last interrupted call that was reported: each is reported once. `--since` reports all of its time. */
function toldUpTo(checkpoint: Checkpoint): number | undefined {
  return existsSync(toldFile(checkpoint))
    ? Number(readFileSync(toldFile(checkpoint), 'utf8')) || undefined
    : undefined;
}

function toldFile({ settings }: Checkpoint): string {
  return join(settings.stateFolder, 'interrupted-told');
}

/** The change and its path. */
export function changeWords({ path, before, after }: HistoryEntry): string {
  return `${inLocale(changeKinds[changeOf({ before, after })])} ${cleanLine(path)} (${inLocale(sizeOf(before))} → ${inLocale(sizeOf(after))})`;
}

/** One line: id, time, change, path and author. */
export function describeEntry(entry: HistoryEntry): string {
  const words = [entry.id, new Date(entry.atMs).toISOString(), changeWords(entry), inLocale(authorOf(entry))];
  if (entry.undoes !== undefined)
    words.push(inLocale(`undoes ${entry.undoes}`, `${entry.undoes} の取り消し`));
  if (entry.undoneBy !== undefined)
    words.push(inLocale(`undone by ${entry.undoneBy}`, `${entry.undoneBy} で元に戻しました`));
  return words.join('  ');
}

function sentIn(entries: readonly AuditEntry[]) {
  return entries.flatMap((entry) =>
    requestsIn(entry.facts).flatMap((request) => (request.allowedBy === undefined ? [] : { entry, request })),
  );
}

/** One line: the call's id, time, request and author. */
function describeSent(entry: AuditEntry, request: RecordedRequest): string {
  const { en, ja } = toldRequest(request);
  const what = text(`sent ${en}`, `送信 ${ja}`);
  return [
    entry.id,
    new Date(entry.atMs).toISOString(),
    cleanLine(inLocale(what)),
    inLocale(authorOf(entry)),
  ].join('  ');
}

function authorOf({
  tool,
  principal,
  sessionId,
}: Pick<AuditEntry, 'tool' | 'principal' | 'sessionId'>): Text {
  return text(
    `${tool} by ${principal} in ${sessionId || 'no session'}`,
    `${tool}  実行者 ${principal}  ${sessionId ? `セッション ${sessionId}` : 'セッションなし'}`,
  );
}

/** Prints one change as a unified diff. */
export function showDiff(id: string, flags: Flags, options: Options): Promise<number> {
  return withHistory(flags, async ({ checkpoint, history, folders }) => {
    const store = await checkpoint.store();
    const entry = await store.history.get(await wholeEntryId(id, store.history));
    if (!entry) {
      say(
        `There is no change ${id}. \`sekisho history\` lists them.`,
        `変更 ${id} はありません。\`sekisho history\` で一覧できます。`,
      );
      return 1;
    }
    const [before, after] = await Promise.all([
      history.content(entry, 'before', folders),
      history.content(entry, 'after', folders),
    ]);
    const words = describeChange(entry, before, after, checkpoint.settings.locale);
    if (options.json) sayJson({ entry, diff: words });
    else say(words);
    return 0;
  });
}

/** Opens the history of the workspace that the flags name. */
function withHistory(
  flags: Flags,
  use: (
    opened: Awaited<ReturnType<Checkpoint['history']>> & { readonly checkpoint: Checkpoint },
  ) => Promise<number>,
): Promise<number> {
  return withOperator(flags, async ({ checkpoint }) => use({ checkpoint, ...(await checkpoint.history()) }));
}
