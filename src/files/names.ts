import { randomUUID } from 'node:crypto';
import { ToolError } from '../contract/error.ts';
import { limits } from '../contract/limits.ts';
import { cleanLine } from '../contract/text/clean-text.ts';
import { text } from '../contract/text/text.ts';

const ordinary = /^[\w-][\w .@+~/-]*$/;

/** A caller's path for a reply: without hidden characters, limited in length. */
export function shownPath(path: string): string {
  if (path.length <= 200 && ordinary.test(path)) return path;
  return cleanLine(path.length <= 400 ? path : `${path.slice(0, 200)}…${path.slice(-100)}`);
}

/** The components of `path` from `from`. As links are never followed, `..` is lexical. Throws `invalid_path`. */
export function componentsOf(path: string, from: readonly string[]): string[] {
  assertNameable(path);
  const components = path.startsWith('/') ? [] : [...from];
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      components.pop();
    } else {
      assertShortName(name, path);
      components.push(name);
    }
  }
  return components;
}

function assertNameable(path: string): void {
  const problem =
    path === ''
      ? text('The path is empty.', 'パスが空です。')
      : path.includes('\0')
        ? text('The path contains a NUL character.', 'パスに NUL 文字が含まれています。')
        : // A lone surrogate would be written as U+FFFD, which is another name than the judged one.
          !path.isWellFormed()
          ? text('The path is not valid Unicode.', 'パスが正しい Unicode ではありません。')
          : path.length * 3 > limits.pathBytes && Buffer.byteLength(path) > limits.pathBytes
            ? text(
                `The path is longer than ${limits.pathBytes} bytes.`,
                `パスが ${limits.pathBytes} バイトを超えています。`,
              )
            : undefined;
  if (problem) throw new ToolError('invalid_path', problem);
}

function assertShortName(name: string, path: string): void {
  if (name.length * 3 <= limits.nameBytes || Buffer.byteLength(name) <= limits.nameBytes) return;
  throw new ToolError(
    'invalid_path',
    `A name in ${shownPath(path)} is longer than ${limits.nameBytes} bytes.`,
    `${shownPath(path)} に ${limits.nameBytes} バイトを超える名前があります。`,
  );
}

const form = /^\.sekisho-[0-9a-f]{16}\.tmp$/;

/** Whether a name is the temporary name of a write; listings leave these out. */
export function isTemporaryName(name: string): boolean {
  return name.length === 29 && form.test(name);
}

/** From a UUID, whose random bytes Node has in stock. */
export function temporaryName(): string {
  return `.sekisho-${randomUUID().replaceAll('-', '').slice(-16)}.tmp`;
}
