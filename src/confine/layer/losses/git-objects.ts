import { Buffer } from 'node:buffer';
import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { asBytes } from '../../../ground/byte-paths.ts';
import { readAtNow } from '../../files/io.ts';
import { isWhiteout } from '../read.ts';
import { readBounded, withFile } from './read-bounded.ts';

/** Objects that git has, in folders that lie over each other: what the first says is gone, is gone. */
export interface GitObjects {
  has(id: string): boolean;
}

export function openObjects(folders: readonly string[]): GitObjects {
  let packs: readonly string[] | undefined;
  const all = [...folders, ...folders.flatMap(alternatesOf)];

  /** In the uppermost folder that knows of it. */
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

  return {
    has(id) {
      if (find(`${id.slice(0, 2)}/${id.slice(2)}`) !== undefined) return true;
      packs ??= packsHere();
      return packs.some((pack) => isInPack(pack, Buffer.from(id, 'hex')));
    },
  };
}

/** Looks an object up in the index of a pack, version 2: gitformat-pack(5). */
function isInPack(path: string, id: Buffer): boolean {
  const found = withFile(path, (fd) => {
    const head = readAtNow(fd, 0, headBytes);
    if (head.length < headBytes || head.readUInt32BE(0) !== 0xff744f63) return false;
    const first = id[0] ?? 0;
    const from = first === 0 ? 0 : head.readUInt32BE(8 + (first - 1) * 4);
    const to = head.readUInt32BE(8 + first * 4);
    if (to < from || (to - from) * id.length > mostIdBytes) return false;
    const ids = readAtNow(fd, headBytes + from * id.length, (to - from) * id.length);
    for (let at = ids.indexOf(id); at >= 0; at = ids.indexOf(id, at + 1))
      if (at % id.length === 0) return true;
    return false;
  });
  return found ?? false;
}

function alternatesOf(folder: string): readonly string[] {
  const list = readBounded(`${folder}/info/alternates`, 64 * 1024)?.toString('latin1') ?? '';
  return list
    .split('\n')
    .filter((line) => line.startsWith('/'))
    .slice(0, 10);
}

function statAt(path: string): Stats | undefined {
  try {
    return lstatSync(asBytes(path), { throwIfNoEntry: false });
  } catch {
    // A file stands where a folder would.
    return undefined;
  }
}

function namesAt(path: string): readonly string[] {
  try {
    return readdirSync(asBytes(path), { encoding: 'latin1' as BufferEncoding }) as string[];
  } catch {
    // No packs there.
    return [];
  }
}

const mostIdBytes = 256 * 1024 * 1024;
const headBytes = 8 + 256 * 4;
