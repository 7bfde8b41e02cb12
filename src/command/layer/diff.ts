import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { cleanLine } from '../../contract/text/clean-text.ts';
import { deferred } from '../../ground/waiting/defer.ts';

interface Lines {
  readonly added: number;
  readonly removed: number;
}

export type Diff = ReturnType<typeof createDiff>;

/** A unified diff of several files, one after another, within a bound. */
export function createDiff(maxBytes: number) {
  const patches: string[] = [];
  let bytes = 0;
  let isCut = false;
  return {
    /**
     * Adds a file's change from one host path to another (undefined: no file). Resolves with the numbers of added and
     * removed lines; undefined if the file is not text, too large, or takes too long to compare.
     */
    async add(
      name: string,
      former: Buffer | undefined,
      latter: Buffer | undefined,
    ): Promise<Lines | undefined> {
      const [before, after] = await Promise.all([former, latter].map(textOf));
      if (before === undefined || after === undefined) return undefined;
      const shown = cleanLine(name);
      const { FILE_HEADERS_ONLY, formatPatch, structuredPatch } = await import('diff');
      const patch = structuredPatch(
        former === undefined ? '/dev/null' : `a/${shown}`,
        latter === undefined ? '/dev/null' : `b/${shown}`,
        before,
        after,
        undefined,
        undefined,
        { timeout: compareMs },
      );
      if (!patch) {
        isCut = true;
        return undefined;
      }
      const lines = patch.hunks.flatMap((hunk) => hunk.lines);
      const counted = {
        added: lines.filter((line) => line.startsWith('+')).length,
        removed: lines.filter((line) => line.startsWith('-')).length,
      };
      const words = formatPatch(patch, FILE_HEADERS_ONLY).trimEnd();
      if (bytes + words.length > maxBytes) {
        isCut = true;
        return counted;
      }
      if (lines.length > 0) patches.push(words);
      bytes += words.length;
      return counted;
    },
    text: () => patches.join('\n'),
    isCut: () => isCut,
  };
}

/** Compares two files of this size. Files too large to compare count as changed. */
export async function hasSameContent(former: Buffer, latter: Buffer, bytes: number): Promise<boolean> {
  const [one, other] = await Promise.all([former, latter].map((path) => open(path, readOwn)));
  if (!one || !other) return false;
  await using _ = deferred(() => Promise.all([one.close(), other.close()]));
  const piece = Math.max(1, Math.min(pieceBytes, bytes));
  const [a, b] = [Buffer.allocUnsafe(piece), Buffer.allocUnsafe(piece)];
  for (let at = 0; at < mostCompared; at += piece) {
    const [left, right] = await Promise.all([one.read(a, 0, piece, at), other.read(b, 0, piece, at)]);
    if (left.bytesRead === 0 && right.bytesRead === 0) return true;
    if (!a.subarray(0, left.bytesRead).equals(b.subarray(0, right.bytesRead))) return false;
  }
  return false;
}

/** The text of a small file, '' for no file; undefined if it is not text. */
async function textOf(path: Buffer | undefined): Promise<string | undefined> {
  if (path === undefined) return '';
  // A file that is not readable is reported without its lines.
  const file = await open(path, readOwn).catch(() => undefined);
  if (!file) return undefined;
  await using _ = deferred(() => file.close());
  if ((await file.stat()).size > mostText) return undefined;
  const content: Buffer = await file.readFile();
  return content.includes(0) || !isUtf8(content) ? undefined : content.toString('utf8');
}

/** Follows no link, and does not wait for the other end of a pipe. */
const readOwn = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const compareMs = 200;
const pieceBytes = 256 * 1024;
const mostCompared = 256 * 1024 * 1024;
const mostText = 1024 * 1024;
