import { createHash } from 'node:crypto';
import { readlinkSync, renameSync, writeFileSync } from 'node:fs';
import { asBytes, toText } from '../ground/machine/byte-paths.ts';
import { readSmall } from './small-file.ts';

/** The folder in which commands see the copies; the settings themselves are links into it. */
export const copiesFolder = '/.git-settings';

/** The same for one repository in every command, so that a link tells which one it stands for. */
export function copyNameOf(config: string): string {
  return createHash('sha256').update(config).digest('hex').slice(0, 16);
}

/**
 * If a command copied a repository with its links, replaces the copied link by the settings it stands for, since only
 * commands can follow it. `held` is the copy's folder, `gitFolders` those that a link may stand for.
 */
export function takeOwnConfig(held: string, gitFolders: Iterable<string>): void {
  const path = asBytes(`${held}/config`);
  const scratch = asBytes(`${held}/config.sekisho`);
  try {
    const name = link.exec(readlinkSync(path))?.[1];
    const original =
      name && [...gitFolders].find((folder) => copyNameOf(`${toText(folder)}/config`) === name);
    const content = original && readSmall(asBytes(`${original}/config`));
    if (!content) return;
    writeFileSync(scratch, content, { flag: 'wx', encoding: 'latin1' });
    renameSync(scratch, path);
  } catch {
    // Usually a real file. A remaining link is set aside like any other.
  }
}

const link = new RegExp(`^${copiesFolder}/([\\da-f]{16})/config$`);
