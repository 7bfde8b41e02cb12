import { closeSync, constants, ftruncateSync, lstatSync, openSync } from 'node:fs';
import type { TextEncoding, WriteOptions, Written } from '../../contract/capabilities/files.ts';
import { ToolError } from '../../contract/error.ts';
import { limits } from '../../contract/limits.ts';
import { text } from '../../contract/text/text.ts';
import { errnoCode } from '../../ground/errors/errno-code.ts';
import { encodeLegacy } from '../../ground/text/legacy-encodings.ts';
import { exists, fault, leftUnchanged, linkRefused } from '../fault.ts';
import { inOwnFolder } from '../folders.ts';
import { fsync, readAt, writeAll } from '../io.ts';
import type { ProvenPath } from '../place-facts.ts';
import { readStat, tooLarge } from '../reading.ts';
import { entryOf, itself } from '../walk.ts';
import { Appeared } from './alone.ts';
import { type Made, writeAtomically } from './atomic.ts';
import { assertUnchanged, change, type Former, formerFile, observed, openOverwritable } from './change.ts';

type Content = string | Uint8Array;

export function create(place: ProvenPath, content: Content, options: WriteOptions): Promise<Written> {
  return put(place, content, options, (folder, name) => {
    const there = lstatSync(entryOf(folder, name), { throwIfNoEntry: false });
    if (there) throw there.isSymbolicLink() ? linkRefused(place.shown) : exists(place.shown);
    return undefined;
  });
}

export async function replace(place: ProvenPath, content: Content, options: WriteOptions): Promise<Written> {
  return put(
    place,
    content,
    options,
    (folder, name) => openOverwritable(place, folder, name, options.expected),
    true,
  );
}

/** Writes a whole file. `mayReplace`: if it appears meanwhile, the work starts again on it. */
function put(
  place: ProvenPath,
  content: Content,
  options: WriteOptions,
  openIt: (folder: number, name: string) => Former | undefined,
  mayReplace = false,
): Promise<Written> {
  return changeContent(place, options, async () => {
    const bytes = await toBytes(content, place.shown, options);
    return inOwnFolder(place, async (folder, name) => {
      const former = openIt(folder, name);
      const action = former ? 'replace' : 'create';
      try {
        const { fromEarlier } = options;
        const facts = {
          action,
          bytes: bytes.length,
          content: bytes,
          former: formerFile(former),
          fromEarlier,
        } as const;
        await observed(place, facts, (agreed) => write(place, folder, name, bytes, former, agreed, options));
      } catch (error) {
        throw mayReplace && isTaken(error, former) ? new Appeared() : error;
      } finally {
        // Never the last descriptor of a replaced file: its lock keeps it open.
        if (former) closeSync(former.fd);
      }
      return { bytes: bytes.length, created: !former };
    });
  });
}

/** Up to this size an append rewrites the file, so that a crash leaves the old or the new content whole. */
const rewriteBytes = 1024 * 1024;

/** Appends to a file. A large one grows in place unless it has other hard links, which may belong to other files. */
export function append(place: ProvenPath, content: Content, options: WriteOptions): Promise<Written> {
  return changeContent(place, options, async () => {
    const encoded = await toBytes(content, place.shown, { encoding: options.encoding });
    return inOwnFolder(place, async (folder, name) => {
      const former = openOverwritable(place, folder, name, options.expected);
      // A byte order mark belongs only at the start of a file.
      const isMarked =
        former !== undefined &&
        former.plain.size > 0 &&
        options.encoding?.startsWith('utf-16') &&
        typeof content === 'string';
      const more = isMarked ? encoded.subarray(2) : encoded;
      const { size = 0, nlink = 1 } = former?.plain ?? {};
      const growsInPlace = size > rewriteBytes && nlink === 1;
      try {
        const action = former ? 'append' : 'create';
        const facts = { action, bytes: more.length, content: more, former: formerFile(former) } as const;
        await observed(place, { ...facts, growsInPlace }, async (agreed) => {
          if (former && growsInPlace) {
            await agreed;
            return growInPlace(former, more, place.shown, options.signal);
          }
          if (size > limits.writeBytes) throw tooLarge(place.shown, size, limits.writeBytes);
          const old = former ? await readAt(former.fd, 0, size, options.signal) : Buffer.alloc(0);
          return write(place, folder, name, Buffer.concat([old, more]), former, agreed, options);
        });
      } catch (error) {
        throw isTaken(error, former) ? new Appeared() : error;
      } finally {
        if (former) closeSync(former.fd);
      }
      return { bytes: more.length, created: !former };
    });
  });
}

/** Changes a file's content. Throws `invalid_path` if the name can only be a folder's. */
async function changeContent<T>(
  place: ProvenPath,
  options: WriteOptions,
  work: () => Promise<T>,
): Promise<T> {
  if (place.components.length > 0 && /(?:^|\/)\.?$/.test(place.facts.given))
    throw new ToolError(
      'invalid_path',
      `A path that ends in / or . names a folder; ${place.shown} cannot be written as a file.`,
      `/ または . で終わるパスはフォルダーを指します。ファイル ${place.shown} には書き込みません。`,
      text('Name the file itself.', 'ファイル自体を指定してください。'),
    );
  return change(place, options, work);
}

/** Whether the file was created by others between our look and our creating it. */
function isTaken(error: unknown, former: Former | undefined): boolean {
  if (former || !(error instanceof ToolError)) return false;
  return errnoCode(error.cause) === 'EEXIST';
}

async function growInPlace(
  former: Former,
  more: Uint8Array,
  shown: string,
  signal: AbortSignal | undefined,
): Promise<Made> {
  const fd = openSync(itself(former.fd), constants.O_WRONLY | constants.O_APPEND);
  try {
    await writeAll(fd, more, signal);
    await fsync(fd);
    return { durable: Promise.resolve() };
  } catch (cause) {
    // A partial append is worse than none.
    ftruncateSync(fd, former.plain.size);
    throw signal?.aborted ? leftUnchanged(shown) : fault(cause, shown);
  } finally {
    closeSync(fd);
  }
}

async function write(
  place: ProvenPath,
  folder: number,
  name: string,
  bytes: Uint8Array,
  former: Former | undefined,
  agreed: Promise<void>,
  options: WriteOptions,
): Promise<Made> {
  return writeAtomically({
    folder,
    name,
    bytes,
    former,
    agreed,
    carryOver: place.facts.dependencies.carryOver,
    shown: place.shown,
    signal: options.signal,
    confirm() {
      if (options.expected)
        assertUnchanged(readStat(entryOf(folder, name), false), options.expected, place.shown);
    },
    noteTemporary: (temporary) => {
      const { scratch } = place.facts.dependencies;
      scratch.begin(place.root.hostPath, [...place.components.slice(0, -1), temporary].join('/'));
      return () => scratch.end();
    },
  });
}

async function toBytes(
  content: Content,
  shown: string,
  { encoding = 'utf-8', withBom = false }: Pick<WriteOptions, 'encoding' | 'withBom'>,
): Promise<Uint8Array> {
  // Half a surrogate pair has no encoding: it would be written as another character.
  if (typeof content === 'string' && !content.isWellFormed())
    throw new ToolError(
      'invalid_parameter',
      `The new content of ${shown} is not valid Unicode: it contains half of a surrogate pair.`,
      `${shown} の新しい内容が正しい Unicode ではありません。サロゲートペアの片方だけが含まれています。`,
    );
  const bytes =
    typeof content !== 'string'
      ? content
      : encoding === 'utf-8' && !withBom
        ? Buffer.from(content, 'utf8')
        : await encode(content, encoding, withBom);
  if (bytes.length <= limits.writeBytes) return bytes;
  throw new ToolError(
    'too_large',
    `The new content of ${shown} has ${bytes.length} bytes; a write takes at most ${limits.writeBytes}.`,
    `${shown} の新しい内容は ${bytes.length} バイトあり、1 回の書き込みの上限 ${limits.writeBytes} バイトを超えています。`,
    { details: { bytes: bytes.length, max_bytes: limits.writeBytes } },
  );
}

const mark = '\ufeff';

/** Encodes a text, UTF-16 always with a mark. Throws `unsupported_encoding` for a character that it lacks. */
export function encode(content: string, encoding: TextEncoding, withBom: boolean): Uint8Array {
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(withBom ? mark + content : content, 'utf8');
    case 'utf-16le':
      return Buffer.from(mark + content, 'utf16le');
    case 'utf-16be':
      return Buffer.from(mark + content, 'utf16le').swap16();
    default: {
      const bytes = encodeLegacy(content, encoding);
      if (bytes) return bytes;
      throw new ToolError(
        'unsupported_encoding',
        `The file is in ${encoding}, which cannot represent every character of the new content.`,
        `ファイルの文字コード ${encoding} では、新しい内容の一部の文字を表せません。`,
        text(
          'Write the whole file again; it will then be in UTF-8.',
          'ファイル全体を書き直すと UTF-8 になります。',
        ),
      );
    }
  }
}
