import { createHash } from 'node:crypto';
import { readlinkSync, renameSync, writeFileSync } from 'node:fs';
import { asBytes, toText } from '../../ground/byte-paths.ts';
import { readSmall } from './small-file.ts';

/** Where commands find the copies of settings that they write; the settings themselves are links there. */
export const copiesFolder = '/.git-settings';

/** The same for one repository in every command, so that a link says which it stands for. */
export function copyNameOf(config: string): string {
  return createHash('sha256').update(config).digest('hex').slice(0, 16);
}

/**
 * Whoever copied a repository with its links has one to settings that only commands see: what it stands for takes its
 * place. `held` is the copy's folder, `gitFolders` those that a link may stand for.
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
    // A file of its own, nearly always. A link that stays is put aside like every other.
  }
}

const link = new RegExp(`^${copiesFolder}/([\\da-f]{16})/config$`);
