import { createHash } from 'node:crypto';
import { closeSync } from 'node:fs';
import type { Place } from '../../contract/capabilities/files.ts';
import type { LoggedWrite, MirrorVerdict } from '../../contract/capabilities/mirror.ts';
import { ConfigError } from '../../contract/error.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { type Locks, openLocks } from '../../files/changing/lock.ts';
import { openWorkspace } from '../../files/workspace.ts';
import { defer } from '../../ground/defer.ts';
import { type IndexRecord, readAt, recordsForwards } from './index-file.ts';
import { createMirror, mirrorPath } from './mirror.ts';

/**
 * Compares the mirrors of these roots, and of those that the log names, with their indexes and the log. An index may
 * contain more than the log, as servers with other records write there too, but never less.
 */
export async function verifyMirrors(
  served: readonly string[],
  logged: readonly LoggedWrite[],
): Promise<MirrorVerdict> {
  const missing = new Map(logged.map((write) => [write.recordId, write]));
  const locks = openLocks();
  const seen = new Set<string>();
  const unreachable = new Set<string>();
  let records = 0;
  for (const path of new Set([...served, ...logged.map(({ root }) => root)])) {
    const workspace = openRoot(path);
    if (!workspace) {
      unreachable.add(path);
      continue;
    }
    using _ = defer(() => workspace.close());
    const verdict = await verifyRoot(workspace.folder, missing, seen, locks);
    records += verdict.records;
    if (!verdict.ok) return { ...verdict, records };
  }
  const lost = [...missing.values()];
  const [first] = lost.filter(({ root }) => !unreachable.has(root));
  if (first) {
    const count = lost.filter(({ root }) => root === first.root).length;
    const problem = text(
      `${first.root}/.shelpa/index.jsonl lacks ${count} of the log's writes, the first of them ${first.recordId} (call ${first.callId})`,
      `${first.root}/.shelpa/index.jsonl に、ログにある書き込みのうち ${count} 件がありません。最初は ${first.recordId}（呼び出し ${first.callId}）です`,
    );
    return { ok: false, records, problem };
  }
  if (lost.length === 0) return { ok: true, records };
  return { ok: true, records, unreachable: { records: lost.length, roots: [...unreachable] } };
}

/** A root in the log may be gone. Each is opened separately, so that none is taken for a part of another. */
function openRoot(path: string) {
  try {
    return openWorkspace({ roots: [{ path, writable: true }], protectedNames: [] });
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

async function verifyRoot(
  folder: ReturnType<typeof openWorkspace>['folder'],
  missing: Map<string, LoggedWrite>,
  seen: Set<string>,
  locks: Locks,
): Promise<MirrorVerdict> {
  const root = folder.roots[0]?.hostPath ?? '/';
  if (seen.has(root)) return { ok: true, records: 0 };
  seen.add(root);
  const verdict = await createMirror({ folder, rootIndex: 0, locks: () => locks }).reading((index, at) =>
    verifyRecords(index, at, missing),
  );
  if (verdict)
    return verdict.ok
      ? verdict
      : { ...verdict, problem: text(`${root}: ${verdict.problem.en}`, `${root}: ${verdict.problem.ja}`) };
  return { ok: true, records: 0 };
}

function verifyRecords(
  index: number,
  at: (path: string) => Place,
  missing: Map<string, LoggedWrite>,
): MirrorVerdict {
  let records = 0;
  let last = 0n;
  const ends = new Map<string, number>();
  const wrong = (problem: Text): MirrorVerdict => ({ ok: false, records, problem });
  for (const record of recordsForwards(index)) {
    if (!record)
      return wrong(
        text(
          `line ${records + 1} of .shelpa/index.jsonl is not a record`,
          `.shelpa/index.jsonl の ${records + 1} 行目は記録ではありません`,
        ),
      );
    records++;
    const id = BigInt(record.recordId);
    if (id <= last)
      return wrong(
        text(
          `the number of record ${record.recordId} does not increase`,
          `記録 ${record.recordId} の番号が増えていません`,
        ),
      );
    last = id;
    const known = missing.get(record.recordId);
    if (known && !fits(record, known))
      return wrong(
        text(
          `record ${record.recordId} of ${record.path} is not what the log has (call ${known.callId})`,
          `${record.path} の記録 ${record.recordId} がログ（呼び出し ${known.callId}）と一致しません`,
        ),
      );
    missing.delete(record.recordId);
    const mirror = at(mirrorPath(record.path));
    if (!mirror.exists())
      return wrong(text(`the mirror of ${record.path} is missing`, `${record.path} の控えがありません`));
    const fd = mirror.openRead();
    using _ = defer(() => closeSync(fd));
    const bytes = readAt(fd, record.offset, record.bytes);
    const digest = createHash('sha256').update(bytes).digest('hex');
    if (digest !== record.sha256)
      return wrong(
        text(
          `record ${record.recordId} of ${record.path} was changed in the mirror`,
          `控えの中で ${record.path} の記録 ${record.recordId} が変更されています`,
        ),
      );
    const end = ends.get(record.path) ?? 0;
    const between = readAt(fd, end, record.offset - end).toString('latin1');
    const expected =
      record.mode === 'append'
        ? ''
        : `--- shelpa:overwrite ts=${record.ts} record_id=${record.recordId} ---\n`;
    if (between !== expected && between !== `\n${expected}`)
      return wrong(
        text(
          `the mirror of ${record.path} contains bytes that belong to no record before ${record.recordId}`,
          `${record.path} の控えの ${record.recordId} より前に、どの記録のものでもないバイト列があります`,
        ),
      );
    ends.set(record.path, record.offset + record.bytes);
  }
  for (const [path, end] of ends) {
    if (at(mirrorPath(path)).stat().bytes !== end)
      return wrong(
        text(
          `the mirror of ${path} contains bytes that belong to no record at its end`,
          `${path} の控えの末尾に、どの記録のものでもないバイト列があります`,
        ),
      );
  }
  return { ok: true, records };
}

function fits(record: IndexRecord, known: LoggedWrite): boolean {
  return (
    mirrorPath(record.path) === known.mirror && record.bytes === known.bytes && record.sha256 === known.sha256
  );
}
