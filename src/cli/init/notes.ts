import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { homeOf, hookFolderOf } from '../../config/places/state.ts';

/** A client's file before and after our change, so that it can be restored. */
export interface Note {
  readonly file: string;
  readonly before?: string | undefined;
  readonly after: string;
}

/** Remembers a change. A second change of an otherwise unchanged file keeps the content before the first. */
export function remember(name: string, { file, before, after }: Note): void {
  const path = noteOf(name);
  const known = remembered(name);
  const isOurs = known?.file === file && known.after === before;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const note = { file, before: isOurs ? known.before : before, after };
  writeFileSync(path, JSON.stringify(note), { mode: 0o600 });
}

export function remembered(name: string): Note | undefined {
  const words = readIfThere(noteOf(name));
  return words === undefined ? undefined : (JSON.parse(words) as Note);
}

export function forget(name: string): void {
  rmSync(noteOf(name), { force: true });
}

export function readIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

function noteOf(name: string): string {
  return join(hookFolderOf(process.env, homeOf(process.env)), `${name}.settings.json`);
}
