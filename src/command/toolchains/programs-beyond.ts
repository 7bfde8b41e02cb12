import { closeSync, type Dirent, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defer } from '../../ground/defer.ts';
import { isBelow } from '../../ground/inside.ts';

/** Links that may lead out of a folder of programs; with `scripts`, also the interpreters of its scripts. */
export function programsBeyond(folder: string, scripts: boolean): readonly string[] {
  const beyond = new Set<string>();
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink() && leadsOut(folder, path)) beyond.add(path);
    const interpreter = scripts && entry.isFile() ? interpreterOf(path) : undefined;
    if (interpreter !== undefined) beyond.add(interpreter);
  }
  return [...beyond];
}

/** Most are other names of files beside them. */
function leadsOut(folder: string, link: string): boolean {
  try {
    return !isBelow(resolve(folder, readlinkSync(link)), folder);
  } catch {
    return false;
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).slice(0, mostEntries);
  } catch {
    return [];
  }
}

/** `#!/home/me/tools/bin/python`: a system interpreter is visible anyway. */
function interpreterOf(script: string): string | undefined {
  try {
    const fd = openSync(script, 'r');
    using _ = defer(() => closeSync(fd));
    const bytes = Buffer.alloc(256);
    const line = bytes.toString('utf8', 0, readSync(fd, bytes));
    return /^#![ \t]*(\/(?!usr\/|bin\/)[^\s]+)/.exec(line)?.[1];
  } catch {
    return undefined;
  }
}

const mostEntries = 1000;
