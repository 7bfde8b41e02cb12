import type { FileKind, Folder, Place } from '../../contract/capabilities/files.ts';
import {
  guardError,
  type HistoryPage,
  type HistoryQuery,
  type RestoreOptions,
  type WriteRecord,
} from '../../contract/capabilities/pipeline.ts';
import { ToolError } from '../../contract/error.ts';
import { limits } from '../../contract/limits.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { HeldPlace } from '../../files/place.ts';
import { escaped, placeOf, symlinkEscape } from '../operands.ts';
import type { IndexRecord } from './index-file.ts';
import type { Mirror, MirrorWrite } from './mirror.ts';

/** Larger writes need the caller's confirmation. */
export const confirmBytes = 1024 * 1024;

export interface RecordedWrite extends Omit<MirrorWrite, 'place'> {
  readonly path: string;
  readonly cwd: string;
  readonly confirmOversize: boolean;
}

/** Writes that leave a record, and queries of the records. */
export function createRecords(folder: Folder, mirrors: readonly Mirror[]) {
  function mirrorOf(place: Place): Mirror {
    const mirror = mirrors[place.rootIndex];
    if (!mirror)
      throw new ToolError(
        'forbidden',
        `${place.shown} was allowed as a single file: pipelines keep records in folders only.`,
        `${place.shown} は単独のファイルとして許可されています。パイプラインはフォルダー内の書き込みだけを記録します。`,
        text('Write it with file_write or write_file.', 'file_write か write_file で書いてください。'),
      );
    return mirror;
  }

  async function write(request: RecordedWrite): Promise<WriteRecord> {
    const place = assertTarget(folder, request.path, request.cwd);
    assertSize(request.content.length, request.confirmOversize);
    const written = await mirrorOf(place).write({ ...request, place });
    return {
      ...written,
      path: place.shown,
      bytes: request.content.length,
      append: request.mode === 'append',
      root: folder.roots[place.rootIndex]?.hostPath ?? '',
    };
  }

  function find(recordId: string) {
    for (const [rootIndex, mirror] of mirrors.entries()) {
      for (const record of mirror.history()) {
        if (record.record_id === recordId) return { mirror, rootIndex, record };
        if (BigInt(record.record_id) < BigInt(recordId)) break;
      }
    }
    throw new ToolError(
      'not_found',
      `There is no record ${recordId}.`,
      `記録 ${recordId} はありません。`,
      text('shelpa_history lists the records.', 'shelpa_history で記録を確認してください。'),
    );
  }

  return {
    write,
    history(query: HistoryQuery): HistoryPage {
      const wanted =
        query.path === undefined ? undefined : placeOf(query.path, 'tee', { folder, cwd: query.folder.path });
      const entries: IndexRecord[] = [];
      for (const [rootIndex, mirror] of mirrors.entries()) {
        if (wanted && wanted.rootIndex !== rootIndex) continue;
        let taken = 0;
        for (const record of mirror.history()) {
          if (query.before !== undefined && BigInt(record.record_id) >= BigInt(query.before)) continue;
          if (wanted && record.path !== wanted.path) continue;
          entries.push(record);
          if (++taken > query.limit) break;
        }
      }
      entries.sort((a, b) => (BigInt(a.record_id) < BigInt(b.record_id) ? 1 : -1));
      const page = entries
        .slice(0, query.limit)
        .map(({ offset: _offset, base_bytes: _base, ...entry }) => entry);
      const last = page.at(-1);
      return {
        entries: page,
        ...(entries.length > query.limit && last ? { nextCursor: last.record_id } : {}),
      };
    },
    async restore(recordId: string, session: string, options: RestoreOptions): Promise<WriteRecord> {
      const { mirror, rootIndex, record } = find(recordId);
      return write({
        path: record.path,
        cwd: folder.roots[rootIndex]?.hostPath ?? '.',
        mode: 'overwrite',
        content: contentAfter(mirror, record),
        confirmOversize: options.confirmOversize,
        command: `shelpa_restore ${recordId}`,
        session,
        signal: options.signal,
      });
    },
  };
}

export type Records = ReturnType<typeof createRecords>;

/** The file as it was after a record: its last overwrite up to then, and the appends since. */
function contentAfter(mirror: Mirror, record: IndexRecord): Buffer {
  const parts: Buffer[] = [];
  let expected: number | undefined;
  let seen = false;
  for (const older of mirror.history()) {
    if (older.record_id === record.record_id) seen = true;
    if (!seen || older.path !== record.path) continue;
    if (expected !== undefined && afterBytes(older) !== expected) break;
    parts.unshift(mirror.readContent(older));
    if (older.mode !== 'append' || older.base_bytes === 0) return Buffer.concat(parts);
    expected = older.base_bytes;
  }
  throw new ToolError(
    'conflict',
    `Record ${record.record_id} appended to a file whose earlier content is not recorded.`,
    `記録 ${record.record_id} は追記で、それ以前の内容はここで書かれていないため復元できません。`,
    text(
      `What was added is in .shelpa/${record.path}: read it with tail or sed.`,
      `追記された内容は .shelpa/${record.path} を tail や sed で読めます。`,
    ),
  );
}

function afterBytes(record: IndexRecord): number {
  return record.mode === 'append' ? record.base_bytes + record.bytes : record.bytes;
}

/** The file to write, inside and not reserved. Writes nothing yet. */
export function assertTarget(folder: Folder, path: string, cwd: string): Place {
  const place = placeOf(path, 'tee', { folder, cwd });
  const first = place.path.split('/')[0]?.normalize('NFC').toLowerCase();
  const reserved = first === '.shelpa' ? '.shelpa' : protectedName(place);
  if (reserved !== undefined)
    throw guardError(
      'RESERVED_PATH',
      text(
        `${place.shown} is reserved: tools cannot write ${reserved}.`,
        `${place.shown} は予約されています (${reserved} には書き込めません)。`,
      ),
      text('Write to another path.', '別のパスに書いてください。'),
      false,
    );
  if (place.path === '.')
    throw noTarget(text('A folder cannot be written.', 'フォルダーには書き込めません。'));
  const kind = kindAt(place);
  if (kind === 'symlink') throw symlinkEscape(place.shown);
  if (kind !== undefined && kind !== 'file')
    throw noTarget(text(`${place.shown} is not a file.`, `${place.shown} はファイルではありません。`));
  return place;
}

function noTarget(why: Text): ToolError {
  return guardError('TEE_TARGET', why, text('Name a file.', 'ファイルを指定してください。'), false);
}

function kindAt(place: Place): FileKind | undefined {
  try {
    return place.exists() ? place.stat().kind : undefined;
  } catch (error) {
    throw escaped(error, place.shown, 'tee');
  }
}

function protectedName(place: Place): string | undefined {
  return place instanceof HeldPlace ? place.facts.protection(place.components) : undefined;
}

export function assertSize(bytes: number, confirmed: boolean): void {
  const isOver = bytes > limits.writeBytes;
  if (!isOver && (confirmed || bytes <= confirmBytes)) return;
  const [en, ja] = isOver
    ? [`the limit of ${limits.writeBytes} for one write`, `1 回の書き込みの上限 ${limits.writeBytes} `]
    : ['1 MiB', '1 MiB '];
  throw guardError(
    'OVERSIZE_WRITE',
    text(
      `${bytes} bytes are more than ${en}. Nothing was written.`,
      `${bytes} バイトは ${ja}を超えています。何も書き込まれていません。`,
    ),
    isOver
      ? text(
          'Narrow the output, or write it in parts with tee -a.',
          '出力を絞るか、tee -a で分けて書いてください。',
        )
      : text(
          'Send the same call with confirm_oversize: true.',
          'confirm_oversize: true を付けて同じ呼び出しを送ってください。',
        ),
    false,
  );
}
