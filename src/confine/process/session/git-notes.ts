import { accessSync, constants, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CommandLine } from '../../../contract/capabilities/process.ts';
import { cleanLine } from '../../../contract/text/clean-text.ts';
import { asBytes, fromText, toText } from '../../../ground/byte-paths.ts';
import { counted } from '../../../ground/counted.ts';
import { readConfig } from '../../git/config-file.ts';
import type { PersonConfig } from '../../git/person-config.ts';
import { readSmall } from '../../git/small-file.ts';
import { openObjects } from '../../layer/losses/git-objects.ts';
import { commonFolderOf, gitFolderOf } from '../../layer/losses/repository.ts';
import { tipsOf } from '../../layer/obeyed/refs.ts';

type Git = Pick<PersonConfig, 'signs' | 'aliases' | 'leftOut'>;

/** What a command's output shows to come of settings of git that it does not have. */
export function settingNotes(
  [errors = '', ...rest]: readonly string[],
  command: CommandLine,
  { aliases, leftOut }: Git,
  folder: string,
): readonly string[] {
  const output = [errors, ...rest].join('\n');
  const [, filter] = /(?:clean|smudge) filter '([^'\n]{1,100})' failed/.exec(output) ?? [];
  const [, alias = ''] = /git: '([\w-]{1,100})' is not a git command/.exec(errors) ?? [];
  const means = aliases.get(alias);
  const words = command.kind === 'script' ? command.script : [command.program, ...command.args].join(' ');
  const elsewhere = /not a git repository/.test(errors) ? repositoryOutside(folder) : undefined;
  const isMade = leftOut.includes('init.templatedir') && /\bgit\b[^;&|\n]*\s(init|clone)\b/.test(words);
  return [
    ...(filter === undefined
      ? []
      : [
          `[git: the filter ${cleanLine(filter)} of git's settings did not work in the sandbox, and no content passes git without it here]\n`,
        ]),
    ...(means === undefined
      ? []
      : [
          `[git: ${alias} is an alias of the person's settings, which commands do not have${/^[\w .:/=@~^-]+$/.test(means) ? `; it stands for: git ${means}` : ''}]\n`,
        ]),
    ...(elsewhere === undefined
      ? []
      : [
          `[git: this folder belongs to the repository in ${cleanLine(elsewhere)}, as a linked worktree or a submodule, and commands do not see that folder: the operator can serve it as a root as well (roots)]\n`,
        ]),
    ...(keepsTodo(words, output)
      ? [
          '[git: rebase -i kept its list of commits as it was, as nobody edits it here; GIT_SEQUENCE_EDITOR can name a command that does]\n',
        ]
      : []),
    ...(isMade ? ['[git: made without the template of the settings (init.templateDir)]\n'] : []),
  ];
}

/** Did an interactive rebase run whose list of commits no editor, and no option of its own, changed? */
function keepsTodo(words: string, output: string): boolean {
  return (
    /\bgit\b[^;&|\n]*\srebase(?=\s)[^;&|\n]*\s(-\w*i|--interactive)\b/.test(words) &&
    /Successfully rebased and updated/.test(output) &&
    !/EDITOR=|sequence\.editor|--autosquash|\s(-x|--exec)\b/.test(words)
  );
}

/** The folder of the repository that a folder is a part of, where a file says so and it is there for a person. */
function repositoryOutside(folder: string): string | undefined {
  const pointer = fromText(`${folder}/.git`);
  const git = gitFolderOf(pointer);
  if (git === pointer || !existsSync(asBytes(git))) return undefined;
  const [, whole] = /^(.+)\/\.git\/(?:worktrees|modules)\//.exec(git) ?? [];
  return toText(whole ?? commonFolderOf(git));
}

/**
 * Watches which commits come to the repositories of these folders: those that were made since then, and otherwise than
 * the settings say, are told when it ends.
 */
export function watchCommits(
  folders: readonly string[],
  { signs }: Git,
  beganAtMs: number,
): () => readonly string[] {
  const repositories = folders.flatMap((folder) => {
    const git = gitFolderOf(fromText(`${folder}/.git`));
    const common = commonFolderOf(git);
    const hooks = hooksOf(toText(common), folder);
    return signs.length > 0 || hooks.length > 0 ? [{ common, hooks, before: tipsOf(common) }] : [];
  });
  return () =>
    repositories.flatMap(({ common, hooks, before }) => {
      const { commits, unsigned, tags } = madeSince(common, before, beganAtMs);
      const isAre = unsigned === 1 ? 'is' : 'are';
      return [
        ...(signs.includes('commit') && unsigned > 0
          ? [
              `[git: ${counted(unsigned, 'commit')} ${isAre} unsigned, though the settings sign them (commit.gpgsign): commands have no key; a person signs with git rebase --exec 'git commit --amend --no-edit -S' or git commit --amend -S]\n`,
            ]
          : []),
        ...(signs.includes('tag') && tags > 0
          ? [
              `[git: ${counted(tags, 'tag')} unsigned, though the settings sign them (tag.gpgsign): commands have no key]\n`,
            ]
          : []),
        ...(hooks.length > 0 && commits > 0
          ? [`[git: ${counted(commits, 'commit')} made without the hooks ${hooks.join(', ')}]\n`]
          : []),
      ];
    });
}

/** New commits and annotated tags that no signature is in. What was fetched is older than the command. */
function madeSince(common: string, before: ReadonlySet<string>, beganAtMs: number) {
  const objects = openObjects([`${common}/objects`]);
  const sinceS = Math.floor(beganAtMs / 1000);
  // Git's times are whole seconds: what was made in the second of the start is new only if nothing before led to it.
  const known = new Set([...before, ...[...youngOf(objects, before, new Set(), sinceS)].map(({ id }) => id)]);
  const counts = { commits: 0, unsigned: 0, tags: 0 };
  for (const { type, head, body } of youngOf(objects, tipsOf(common), known, sinceS)) {
    if (type === 'tag') {
      if (!/^-----BEGIN /m.test(body)) counts.tags += 1;
      continue;
    }
    counts.commits += 1;
    if (!/^gpgsig/m.test(head)) counts.unsigned += 1;
    if (counts.commits >= mostCounted) break;
  }
  return counts;
}

/** The commits and tags of these and before them that are not older than a second of the clock, without those left out. */
function* youngOf(
  objects: ReturnType<typeof openObjects>,
  tips: ReadonlySet<string>,
  without: ReadonlySet<string>,
  sinceS: number,
) {
  const seen = new Set(without);
  const waiting = [...tips];
  for (const id of waiting) {
    if (seen.has(id) || seen.size > mostSeen) continue;
    seen.add(id);
    const object = objects.read(id);
    if (object?.type !== 'commit' && object?.type !== 'tag') continue;
    const [head = '', body = ''] = object.content.toString('latin1').split(/\n\n([\s\S]*)/, 2);
    const [, seconds] = /^(?:committer|tagger) .*> (\d+) /m.exec(head) ?? [];
    if (Number(seconds) < sinceS) continue;
    yield { id, type: object.type, head, body };
    if (object.type === 'commit')
      waiting.push(...[...head.matchAll(/^parent (\w+)$/gm)].map(([, parent = '']) => parent));
  }
}

/** Which of a repository's hooks git would run for a person's commit. */
function hooksOf(common: string, folder: string): readonly string[] {
  const settings = readConfig(readSmall(`${common}/config`) ?? '').entries;
  const named = settings.findLast(({ section, key }) => section === 'core' && key === 'hookspath')?.value;
  const at = named === undefined ? `${common}/hooks` : resolve(folder, named);
  return ['pre-commit', 'prepare-commit-msg', 'commit-msg'].filter((name) => {
    try {
      accessSync(`${at}/${name}`, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

const mostCounted = 100;

/** Tips and commits that are looked at; a repository can have any number of branches. */
const mostSeen = 100_000;
