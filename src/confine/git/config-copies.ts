import { existsSync, lstatSync, mkdirSync, mkdtempSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { RemoteChanges } from '../../contract/capabilities/judgement.ts';
import { cleanLine } from '../../contract/text/clean-text.ts';
import { changesOf } from './config-changes.ts';
import { readConfig } from './config-file.ts';
import { copyNameOf } from './copied-config.ts';
import { inHeldFolder } from './held-folder.ts';
import { readSmall } from './small-file.ts';
import { changeConfig } from './write-config.ts';

/** What one command writes in place of the settings of repositories, for whoever mounts it. */
export interface ConfigCopies {
  /** On the host. Holds nothing but the copies. */
  readonly folder: string;
  readonly copies: readonly ConfigCopy[];
  /**
   * When the command has ended: what it may change of the settings is changed, the rest goes with the copies. Resolves
   * with what its reply is to say.
   */
  settle(): Promise<readonly string[]>;
  /** When a command has ended that was only tried: they go, whatever they are. */
  discard(): Promise<void>;
}

export interface ConfigCopy {
  /** Host path of the repository's own. */
  readonly original: string;
  /** Below the folder. */
  readonly path: string;
}

/**
 * Settings of repositories, copied for a command that may write. So `git config`, `git remote add` and `git push -u`
 * work as they do outside, and a git that a person runs meanwhile reads nothing that a command wrote and nobody judged.
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
  // On a disk where there is one: what commands write there has no bound but that.
  const base = mkdtempSync(join(existsSync('/var/tmp') ? '/var/tmp' : tmpdir(), 'sekisho-git-'));
  const copies = read.map((each) => ({ ...each, path: `${copyNameOf(each.original)}/config` }));
  for (const { path, content } of copies) {
    mkdirSync(dirname(join(base, path)));
    writeFileSync(join(base, path), content, 'latin1');
  }

  /** As it is for a command that has not to do with git: at once. What a hostile one left there takes its time. */
  function removeBare(): boolean {
    try {
      for (const { path } of copies) {
        unlinkSync(join(base, path));
        rmdirSync(dirname(join(base, path)));
      }
      rmdirSync(base);
      return true;
    } catch {
      // The command left more there.
      return false;
    }
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
    // What cannot be removed lies in a folder for temporary files.
    if (!removeBare()) await rm(base, { recursive: true, force: true }).catch(() => {});
  }

  return {
    folder: base,
    copies,
    discard,
    async settle() {
      try {
        const notes: string[] = [];
        for (const copy of copies) notes.push(...(await settleOne(copy)));
        return notes;
      } finally {
        await discard();
      }
    },
  };
}

const why =
  "a command cannot set what runs a program at a person's next git or leads it elsewhere; a person sets that";

/** Where it is a link, or its folder is, it is not mounted either. */
function isOwn(folder: string): boolean {
  return lstatSync(join(folder, '.git'), { throwIfNoEntry: false })?.isDirectory() === true;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 5).map((name) => cleanLine(name).slice(0, 200));
  return `${shown.join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}`;
}
