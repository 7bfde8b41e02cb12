import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import { readAtNow } from '../../../files/io.ts';
import { orElse } from '../../../ground/or-else.ts';
import { namesAt, statAt } from '../entries.ts';
import { isWhiteout } from '../walk.ts';
import { readBounded, withFile } from './read-bounded.ts';

export type GitObjects = ReturnType<typeof openObjects>;

export interface GitObject {
  readonly type: string;
  readonly content: Buffer;
}

/** Reads git objects from stacked folders; a removal in the first one hides the object in the others. */
export function openObjects(folders: readonly string[]) {
  let packs: readonly string[] | undefined;
  const borrowed = folders.flatMap(alternatesOf);
  const all = [...folders, ...borrowed];

  /** Searches the uppermost folder first. */
  function find(name: string): string | undefined {
    for (const folder of all) {
      const path = `${folder}/${name}`;
      const stat = statAt(path);
      if (stat) return isWhiteout(stat) ? undefined : path;
    }
    return undefined;
  }

  function packsHere(): readonly string[] {
    const names = new Set(all.flatMap((folder) => namesAt(`${folder}/pack`)));
    return [...names]
      .filter((name) => name.endsWith('.idx') && find(`pack/${name.slice(0, -4)}.pack`) !== undefined)
      .flatMap((name) => find(`pack/${name}`) ?? []);
  }

  /** Returns the pack of an object, and its offset. */
  function findPacked(id: string): readonly [string, number] | undefined {
    packs ??= packsHere();
    for (const pack of packs) {
      const at = offsetInPack(pack, Buffer.from(id, 'hex'));
      if (at !== undefined) return [pack, at];
    }
    return undefined;
  }

  function readAny(id: string, depth: number): GitObject | undefined {
    const loose = find(`${id.slice(0, 2)}/${id.slice(2)}`);
    if (loose !== undefined) return readLoose(loose);
    const [index, at] = findPacked(id) ?? [];
    if (index === undefined || at === undefined) return undefined;
    return withFile(`${index.slice(0, -4)}.pack`, (fd) =>
      readPacked(fd, at, id.length / 2, depth, (base) => readAny(base, depth + 1)),
    );
  }

  /** Is the object a file of its own, made since git last packed? */
  const isLoose = (id: string): boolean => find(`${id.slice(0, 2)}/${id.slice(2)}`) !== undefined;

  return {
    isLoose,
    has: (id: string): boolean => isLoose(id) || findPacked(id) !== undefined,
    /** Is it in a pack, or in another repository that this one borrows from? */
    hasBesidesLoose: (id: string): boolean =>
      findPacked(id) !== undefined ||
      borrowed.some((folder) => statAt(`${folder}/${id.slice(0, 2)}/${id.slice(2)}`) !== undefined),
    /** Undefined if the object is missing, very large, or does not match its id. */
    read(id: string): GitObject | undefined {
      // The object may be cut short or not in git's format.
      const found = orElse(() => readAny(id, 0), undefined);
      return found && idOf(found, id.length) === id ? found : undefined;
    },
  };
}

/** Computes the id of an object with that number of digits, 40 or 64. */
export function idOf({ type, content }: GitObject, digits: number): string {
  return createHash(digits === 64 ? 'sha256' : 'sha1')
    .update(`${type} ${content.length}\0`)
    .update(content)
    .digest('hex');
}

function readLoose(path: string): GitObject | undefined {
  const packed = readBounded(path, mostObjectBytes);
  const whole = packed && inflateSync(packed, { maxOutputLength: mostObjectBytes });
  const end = whole?.indexOf(0) ?? -1;
  if (!whole || end < 0) return undefined;
  const [type = ''] = whole.toString('latin1', 0, end).split(' ');
  return { type, content: whole.subarray(end + 1) };
}

/** Reads an object from an open pack, and resolves its deltas: gitformat-pack(5). */
function readPacked(
  fd: number,
  at: number,
  idBytes: number,
  depth: number,
  readBase: (id: string) => GitObject | undefined,
): GitObject | undefined {
  if (depth > deepestDelta) return undefined;
  const head = readAtNow(fd, at, entryHeadBytes);
  const kind = (head.readUInt8(0) >> 4) & 7;
  let bytes = head.readUInt8(0) & 15;
  let read = 1;
  for (let shift = 4; (head.readUInt8(read - 1) & 0x80) !== 0; shift += 7)
    bytes += (head.readUInt8(read++) & 0x7f) * 2 ** shift;
  if (bytes > mostObjectBytes) return undefined;
  const type = packedTypes[kind];
  let base: GitObject | undefined;
  if (kind === 6) {
    let back = head.readUInt8(read) & 0x7f;
    while ((head.readUInt8(read++) & 0x80) !== 0) back = (back + 1) * 128 + (head.readUInt8(read) & 0x7f);
    base = readPacked(fd, at - back, idBytes, depth + 1, readBase);
  } else if (kind === 7) {
    base = readBase(head.toString('hex', read, read + idBytes));
    read += idBytes;
  }
  const packed = readAtNow(fd, at + read, bytes + Math.ceil(bytes / 1000) + 128);
  const content = inflateSync(packed, { maxOutputLength: Math.max(bytes, 1) });
  if (type !== undefined) return { type, content };
  return base && { type: base.type, content: applied(base.content, content) };
}

/** Applies a delta to its base. */
function applied(base: Buffer, delta: Buffer): Buffer {
  let at = 0;
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = delta.readUInt8(at++);
      value += (byte & 0x7f) * 2 ** shift;
      if ((byte & 0x80) === 0) return value;
    }
  };
  number();
  const bytes = number();
  if (bytes > mostObjectBytes) throw new RangeError('too large');
  const parts: Buffer[] = [];
  while (at < delta.length) {
    const op = delta.readUInt8(at++);
    if ((op & 0x80) === 0) {
      parts.push(delta.subarray(at, at + op));
      at += op;
      continue;
    }
    const field = (first: number, count: number) => {
      let value = 0;
      for (let each = 0; each < count; each++)
        if ((op & (first << each)) !== 0) value += delta.readUInt8(at++) * 256 ** each;
      return value;
    };
    const from = field(1, 4);
    parts.push(base.subarray(from, from + (field(16, 3) || 0x10000)));
  }
  return Buffer.concat(parts, bytes);
}

/** Looks an object up in a version 2 pack index (gitformat-pack(5)), and returns its offset in the pack. */
function offsetInPack(path: string, id: Buffer): number | undefined {
  return withFile(path, (fd) => {
    const head = readAtNow(fd, 0, headBytes);
    if (head.length < headBytes || head.readUInt32BE(0) !== 0xff744f63) return undefined;
    const first = id[0] ?? 0;
    const from = first === 0 ? 0 : head.readUInt32BE(8 + (first - 1) * 4);
    const to = head.readUInt32BE(8 + first * 4);
    const all = head.readUInt32BE(8 + 255 * 4);
    if (to < from || (to - from) * id.length > mostIdBytes) return undefined;
    const ids = readAtNow(fd, headBytes + from * id.length, (to - from) * id.length);
    let at = ids.indexOf(id);
    while (at >= 0 && at % id.length !== 0) at = ids.indexOf(id, at + 1);
    if (at < 0) return undefined;
    // The ids are followed by one checksum each.
    const offsets = headBytes + all * (id.length + 4);
    const offset = readAtNow(fd, offsets + (from + at / id.length) * 4, 4).readUInt32BE(0);
    if (offset < 0x80000000) return offset;
    return Number(readAtNow(fd, offsets + all * 4 + (offset - 0x80000000) * 8, 8).readBigUInt64BE(0));
  });
}

function alternatesOf(folder: string): readonly string[] {
  const list = readBounded(`${folder}/info/alternates`, 64 * 1024)?.toString('latin1') ?? '';
  return list
    .split('\n')
    .filter((line) => line.startsWith('/'))
    .slice(0, 10);
}

const packedTypes: Readonly<Record<number, string>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' };
const entryHeadBytes = 64;
const deepestDelta = 200;
const mostObjectBytes = 16 * 1024 * 1024;
const mostIdBytes = 256 * 1024 * 1024;
const headBytes = 8 + 256 * 4;
