import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';

/** Makes one folder hold what another does, and touches only what differs; the folder itself stays, for the server holds it. */
export function bring(from: string, to: string): void {
  const wanted = new Set(readdirSync(from));
  for (const name of readdirSync(to)) if (!wanted.has(name)) remove(join(to, name));
  for (const name of wanted) bringOne(join(from, name), join(to, name));
}

function bringOne(from: string, to: string): void {
  const source = lstatSync(from);
  const there = lstatSync(to, { throwIfNoEntry: false });
  if (source.isDirectory()) {
    if (there && !there.isDirectory()) remove(to);
    mkdirSync(to, { recursive: true, mode: source.mode });
    bring(from, to);
    return;
  }
  const isSame =
    there?.mode === source.mode &&
    there.size === source.size &&
    Math.floor(there.mtimeMs) === Math.floor(source.mtimeMs);
  if (isSame) return;
  if (there) remove(to);
  if (source.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  else if (source.isFile()) {
    copyFileSync(from, to);
    utimesSync(to, source.atime, source.mtime);
  }
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
