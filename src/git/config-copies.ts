import { existsSync, lstatSync, mkdirSync, mkdtempSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { RemoteChanges } from '../contract/capabilities/judgement.ts';
import { cleanLine } from '../contract/text/clean-text.ts';
import { orElse } from '../ground/or-else.ts';
import { deferred } from '../ground/waiting/defer.ts';
import { changesOf } from './config-changes.ts';
import { readConfig } from './config-file.ts';
import { copyNameOf } from './copied-config.ts';
import { inHeldFolder } from './held-folder.ts';
import { readSmall } from './small-file.ts';
import { changeConfig } from './write-config.ts';

/** Copies of repository settings that one command writes instead of the originals, for mounting. */
export interface ConfigCopies {
  /** On the host. Contains only the copies. */
  readonly folder: string;
  readonly copies: readonly ConfigCopy[];
  /**
   * After the command has ended: applies its allowed changes and drops the copies. Resolves with notes for its reply.
   */
  settle(): Promise<readonly string[]>;
  /** After a dry run has ended: drops the copies. */
  discard(): Promise<void>;
}

export interface ConfigCopy {
  /** Host path of the repository's own file. */
  readonly original: string;
  /** Relative to the folder. */
  readonly path: string;
}

/**
 * Copies the settings of repositories for a command that may write. So `git config`, `git remote add` and `git push -u`
 * work as usual, while a person's git never reads unjudged settings of a command.
 */
export function openConfigCopies(
  folders: readonly string[],
  workingFolder: string,
  agreed?: RemoteChanges,
): ConfigCopies | undefined {
  const read = folders.flatMap((folder) => {
    const content = isOwn(folder)
      ? inHeldFolder(folder, '.git', (held) => readSmall(`${held}/config`))
      : undefined;
    return content === undefined ? [] : [{ folder, original: join(folder, '.git/config'), content }];
  });
  if (read.length === 0) return undefined;
  // On a real disk if possible, because the size of commands' writes there is not limited otherwise.
  const base = mkdtempSync(join(existsSync('/var/tmp') ? '/var/tmp' : tmpdir(), 'sekisho-git-'));
  const copies = read.map((each) => ({ ...each, path: `${copyNameOf(each.original)}/config` }));
  for (const { path, content } of copies) {
    mkdirSync(dirname(join(base, path)));
    writeFileSync(join(base, path), content, 'latin1');
  }

  /** Synchronous, for commands unrelated to git. A hostile command's leftovers take the slow path. */
  function removeBare(): boolean {
    // The command left more there.
    return orElse(() => {
      for (const { path } of copies) {
        unlinkSync(join(base, path));
        rmdirSync(dirname(join(base, path)));
      }
      rmdirSync(base);
      return true;
    }, false);
  }

  async function settleOne({ folder, original, content, path }: (typeof copies)[number]): Promise<string[]> {
    const name = cleanLine(relative(workingFolder, original));
    const written = inHeldFolder(base, path.slice(0, path.indexOf('/')), (held) =>
      readSmall(`${held}/config`),
    );
    if (written === content) return [];
    const after = readConfig(written ?? '');
    if (written === undefined || !after.isReadable) {
      return [`[git: ${name} is as it was: what the command left in its place is no file of settings]\n`];
    }
    const { allowed, refused } = changesOf(readConfig(content), after, () => false, agreed);
    const isAsWritten = refused.length === 0 && after.isPlain;
    const missed = await changeConfig(
      folder,
      allowed,
      isAsWritten ? { from: content, to: written } : undefined,
    );
    return [
      ...(refused.length === 0 ? [] : [`[git: ${name} has no ${listed(refused)}: ${why}]\n`]),
      ...(missed === undefined ? [] : [`[git: ${name} is as it was: ${missed}]\n`]),
    ];
  }

  async function discard(): Promise<void> {
    // Anything that cannot be removed is in a temporary folder.
    if (!removeBare()) await rm(base, { recursive: true, force: true }).catch(() => {});
  }

  return {
    folder: base,
    copies,
    discard,
    async settle() {
      await using _ = deferred(() => discard());
      const notes: string[] = [];
      for (const copy of copies) notes.push(...(await settleOne(copy)));
      return notes;
    },
  };
}

const why =
  "a command cannot set what runs a program at a person's next git or leads it elsewhere; a person sets that";

/** If the file or its folder is a link, it is not mounted either. */
function isOwn(folder: string): boolean {
  return lstatSync(join(folder, '.git'), { throwIfNoEntry: false })?.isDirectory() === true;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 5).map((name) => cleanLine(name).slice(0, 200));
  return `${shown.join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}`;
}
