import * as z from 'zod';
import type { Desk } from '../../contract/capabilities/capabilities.ts';
import type { Folder, Place } from '../../contract/capabilities/files.ts';
import { ToolError } from '../../contract/error.ts';
import { cleanLine } from '../../contract/text/clean-text.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { isInside } from '../../ground/inside.ts';
import { orElse } from '../../ground/or-else.ts';

/** A path as document 001 takes it; whether it is permitted is decided when it is used. */
export const pathInput = z.string().min(1).max(4096);

/** A folder to search; the empty name is the workspace, as `.` is. */
export const folderInput = z
  .string()
  .max(4096)
  .default('.')
  .transform((path) => path || '.');

/** A place, and its name in replies: relative to the workspace, or absolute in a further root. */
export interface Spot {
  readonly folder: Folder;
  readonly place: Place;
  readonly shown: string;
}

/** The place of a caller's write: in their own folder of today, which the path may also name from the workspace. */
export function placeToWrite(desk: Desk, path: string): Spot {
  assertTaken(desk, path);
  return ownSpot(desk, ownPart(desk, path) ?? path);
}

/** The place for a caller's reads: in their own folder if the file exists there, else in the workspace. */
export function placeToRead(desk: Desk, path: string): Spot {
  const [first, behind] = spotsOf(desk, path);
  if (!behind || first.place.exists()) return first;
  if (desk.hides?.(behind.shown)) throw nothingThere(behind.shown);
  // If neither exists, the error is about the one with a similar name.
  const isSlip = !behind.place.exists() && first.place.lookalikes().length > 0;
  return isSlip ? first : behind;
}

/** Throws if a file can be read but not changed, because it is outside the caller's own folder. */
export function assertOwn(desk: Desk, { place }: Spot, path: string): void {
  if (place.exists()) return;
  const read = placeToRead(desk, path);
  if (read.folder === desk.own || !read.place.exists()) return;
  throw new ToolError(
    'forbidden',
    `${cleanName(read.shown)} can be read but not changed: only ${desk.ownPath} is yours.`,
    `${cleanName(read.shown)} は読めますが変更できません。変更できるのは ${desk.ownPath} だけです。`,
    text(
      `Read it, write a copy to ${cleanName(path)} with write_file, and edit that.`,
      `内容を読み、write_file で ${cleanName(path)} にコピーを作成してから編集してください。`,
    ),
  );
}

/** A folder or file to search. */
export interface Ground extends Spot {
  /** Paths below it that are left out: other people's, and the caller's own if those are searched separately. */
  readonly skip: ((path: string) => boolean) | undefined;
}

/** The places to search for a path: the caller's folder, then the workspace, which reports a missing one. */
export function groundsOf(desk: Desk, path: string): readonly Ground[] {
  const [first, behind] = spotsOf(desk, path);
  if (!behind) return [{ ...first, skip: undefined }];
  if (desk.hides?.(behind.shown)) throw nothingThere(behind.shown);
  const hasOwn = first.place.exists();
  const ground: Ground = {
    ...behind,
    skip: (below) => {
      const whole = nameBelow(behind.shown, below);
      return (hasOwn && isInside(whole, first.shown)) || desk.hides?.(whole) === true;
    },
  };
  if (!hasOwn) return [ground];
  const own: Ground = { ...first, skip: undefined };
  return behind.place.exists() ? [own, ground] : [own];
}

/** The displayed name of a path below a spot; `.` is the spot itself. */
export function nameBelow(shown: string, path: string): string {
  if (path === '.') return shown;
  return shown === '.' ? path : `${shown}/${path}`;
}

/** The displayed form of a name. Most names are plain, and there may be thousands. */
export function cleanName(name: string): string {
  return plainAscii.test(name) ? name : cleanLine(name);
}

const plainAscii = /^[\x20-\x7e]*$/;

function spotsOf(desk: Desk, path: string): readonly [Spot, Spot?] {
  assertTaken(desk, path);
  const part = ownPart(desk, path);
  const own = ownSpot(desk, part ?? path);
  if (desk.ownPath === '.' || part !== undefined) return [own];
  const place = desk.workspace.at(path);
  return [own, { folder: desk.workspace, place, shown: place.path }];
}

function ownSpot(desk: Desk, path: string): Spot {
  const place = desk.own.at(path);
  return { folder: desk.own, place, shown: nameOf(desk, place) };
}

function nameOf(desk: Desk, place: Place): string {
  if (desk.ownPath !== '.') return nameBelow(desk.ownPath, place.path);
  return place.rootIndex === 0 ? place.path : place.hostPath;
}

/** Document 001: relative paths, no `..`. In the workspace itself, absolute paths inside it are accepted as well. */
function assertTaken(desk: Desk, path: string): void {
  if (path.split('/').includes('..'))
    throw notTaken(text('The path contains "..".', 'パスに ".." は使えません。'));
  if (!/^(?:\/|~\/|\\\\|[a-zA-Z]:[\\/])/.test(path)) return;
  if (desk.ownPath !== '.' || !path.startsWith('/'))
    throw notTaken(
      text(
        'The path is absolute; only relative paths are accepted.',
        '絶対パスは使えません。相対パスだけ使えます。',
      ),
    );
  assertInside(desk.own, path);
}

function notTaken(message: Text): ToolError {
  return new ToolError(
    'invalid_path',
    message,
    text('Write it like notes/today.md.', 'notes/today.md のように書いてください。'),
  );
}

/** Throws for an absolute path outside, with a suggestion: models guess where a project is. */
function assertInside(folder: Folder, path: string): void {
  try {
    folder.at(path);
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'out_of_scope') throw error;
    const meant = nearest(folder, path);
    if (meant === undefined) throw error;
    const shown = cleanName(meant);
    throw new ToolError('out_of_scope', error.text, text(`Here it is ${shown}.`, `ここでは ${shown} です。`));
  }
}

const mostNames = 64;

/** The longest suffix of a path that exists inside, else the one whose folder does. */
function nearest(folder: Folder, path: string): string | undefined {
  const names = path
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .slice(-mostNames);
  const isThere = (end: readonly string[]) => end.length > 0 && existsIn(folder, end.join('/'));
  const ends = names.map((_, from) => names.slice(from));
  return (ends.find(isThere) ?? ends.find((end) => isThere(end.slice(0, -1))))?.join('/');
}

function existsIn(folder: Folder, path: string): boolean {
  return orElse(() => folder.at(path).exists(), false);
}

/** The path relative to the caller's own folder; undefined if it lies elsewhere. */
function ownPart(desk: Desk, path: string): string | undefined {
  if (desk.ownPath === '.') return undefined;
  const plain = path
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .join('/');
  if (plain === desk.ownPath) return '.';
  return isInside(plain, desk.ownPath) ? plain.slice(desk.ownPath.length + 1) : undefined;
}

function nothingThere(path: string): ToolError {
  const shown = cleanName(path);
  return new ToolError('not_found', `${shown} does not exist.`, `${shown} はありません。`);
}
