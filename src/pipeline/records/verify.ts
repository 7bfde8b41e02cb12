import { hash } from 'node:crypto';
import type { LoggedWrite, MirrorVerdict } from '../../contract/capabilities/mirror.ts';
import { ConfigError } from '../../contract/error.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { type Locks, openLocks } from '../../files/changing/lock.ts';
import { openWorkspace } from '../../files/workspace.ts';
import { defer } from '../../ground/waiting/defer.ts';
import { type IndexRecord, recordsForwards } from './index-file.ts';
import { Mirror, mirrorPath, readFrom } from './mirror.ts';

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
  const mirror = new Mirror({ folder, rootIndex: 0, locks: () => locks });
  const verdict = await mirror.reading((index) => verifyRecords(index, mirror, missing));
  if (!verdict || verdict.ok) return verdict ?? { ok: true, records: 0 };
  const { en, ja } = verdict.problem;
  return { ...verdict, problem: text(`${root}: ${en}`, `${root}: ${ja}`) };
}

function verifyRecords(index: number, mirror: Mirror, missing: Map<string, LoggedWrite>): MirrorVerdict {
  let records = 0;
  let last = 0n;
  const ends = new Map<string, number>();
  const wrong = (problem: Text): MirrorVerdict => ({ ok: false, records, problem });
  for (const record of recordsForwards(index)) {
    records++;
    if (!record)
      return wrong(
        text(
          `line ${records} of .shelpa/index.jsonl is not a record`,
          `.shelpa/index.jsonl の ${records} 行目は記録ではありません`,
        ),
      );
    const problem = problemOf(record, { mirror, last, end: ends.get(record.path) ?? 0, missing });
    if (problem) return wrong(problem);
    last = BigInt(record.record_id);
    missing.delete(record.record_id);
    ends.set(record.path, record.offset + record.bytes);
  }
  for (const [path, end] of ends) {
    if (mirror.at(mirrorPath(path)).stat().bytes !== end)
      return wrong(
        text(
          `the mirror of ${path} contains bytes that belong to no record at its end`,
          `${path} の控えの末尾に、どの記録のものでもないバイト列があります`,
        ),
      );
  }
  return { ok: true, records };
}

interface Before {
  readonly mirror: Mirror;
  readonly last: bigint;
  /** The offset in the mirror at which the record before it ends. */
  readonly end: number;
  readonly missing: ReadonlyMap<string, LoggedWrite>;
}

function problemOf(record: IndexRecord, { mirror, last, end, missing }: Before): Text | undefined {
  const { record_id: id, path, ts, mode, offset } = record;
  if (BigInt(id) <= last)
    return text(`the number of record ${id} does not increase`, `記録 ${id} の番号が増えていません`);
  const known = missing.get(id);
  if (known && !fits(record, known))
    return text(
      `record ${id} of ${path} is not what the log has (call ${known.callId})`,
      `${path} の記録 ${id} がログ（呼び出し ${known.callId}）と一致しません`,
    );
  const place = mirror.at(mirrorPath(path));
  if (!place.exists()) return text(`the mirror of ${path} is missing`, `${path} の控えがありません`);
  if (hash('sha256', mirror.readContent(record)) !== record.sha256)
    return text(
      `record ${id} of ${path} was changed in the mirror`,
      `控えの中で ${path} の記録 ${id} が変更されています`,
    );
  const between = readFrom(place, end, offset - end).toString('latin1');
  const expected = mode === 'append' ? '' : `--- shelpa:overwrite ts=${ts} record_id=${id} ---\n`;
  if (between === expected || between === `\n${expected}`) return undefined;
  return text(
    `the mirror of ${path} contains bytes that belong to no record before ${id}`,
    `${path} の控えの ${id} より前に、どの記録のものでもないバイト列があります`,
  );
}

function fits({ path, bytes, sha256 }: IndexRecord, known: LoggedWrite): boolean {
  return mirrorPath(path) === known.mirror && bytes === known.bytes && sha256 === known.sha256;
}
