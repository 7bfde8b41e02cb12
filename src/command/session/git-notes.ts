import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CommandLine } from '../../contract/capabilities/process.ts';
import { cleanLine } from '../../contract/text/clean-text.ts';
import { readConfig } from '../../git/config-file.ts';
import type { PersonConfig } from '../../git/person-config.ts';
import { readSmall } from '../../git/small-file.ts';
import { counted } from '../../ground/counted.ts';
import { asBytes, fromText, toText } from '../../ground/machine/byte-paths.ts';
import { commandText } from '../commands-options.ts';
import { openObjects } from '../layer/losses/git-objects.ts';
import { commonFolderOf, gitFolderOf } from '../layer/losses/repository.ts';
import { tipsOf } from '../layer/obeyed/refs.ts';
import { isProgram } from '../shell.ts';

type Git = Pick<PersonConfig, 'signs' | 'aliases' | 'leftOut'>;

/** Notes for output that shows the lack of a person's git settings. */
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
  const words = commandText(command);
  const elsewhere = /not a git repository/.test(errors) ? repositoryOutside(folder) : undefined;
  const isMade = leftOut.includes('init.templatedir') && /\bgit\b[^;&|\n]*\s(init|clone)\b/.test(words);
  const notes = [
    filter !== undefined &&
      `[git: the filter ${cleanLine(filter)} of git's settings did not work in the sandbox, and no content passes git without it here]\n`,
    means !== undefined &&
      `[git: ${alias} is an alias of the person's settings, which commands do not have${/^[\w .:/=@~^-]+$/.test(means) ? `; it stands for: git ${means}` : ''}]\n`,
    elsewhere !== undefined &&
      `[git: this folder belongs to the repository in ${cleanLine(elsewhere)}, as a linked worktree or a submodule, and commands do not see that folder: the operator can serve it as a root as well (roots)]\n`,
    keepsTodo(words, output) &&
      '[git: rebase -i kept its list of commits as it was, as nobody edits it here; GIT_SEQUENCE_EDITOR can name a command that does]\n',
    isMade && '[git: made without the template of the settings (init.templateDir)]\n',
  ];
  return notes.filter((note) => note !== false);
}

/** Was an interactive rebase run without an editor or an option that changes its list of commits? */
function keepsTodo(words: string, output: string): boolean {
  return (
    /\bgit\b[^;&|\n]*\srebase(?=\s)[^;&|\n]*\s(-\w*i|--interactive)\b/.test(words) &&
    /Successfully rebased and updated/.test(output) &&
    !/EDITOR=|sequence\.editor|--autosquash|\s(-x|--exec)\b/.test(words)
  );
}

/** The repository's folder outside, if a `.git` file names it and it exists on the host. */
function repositoryOutside(folder: string): string | undefined {
  const pointer = fromText(`${folder}/.git`);
  const git = gitFolderOf(pointer);
  if (git === pointer || !existsSync(asBytes(git))) return undefined;
  const [, whole] = /^(.+)\/\.git\/(?:worktrees|modules)\//.exec(git) ?? [];
  return toText(whole ?? commonFolderOf(git));
}

/** Watches the commits in these folders' repositories: at the end, reports new ones that differ from the settings. */
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
      const notes = [
        signs.includes('commit') &&
          unsigned > 0 &&
          `[git: ${counted(unsigned, 'commit')} ${isAre} unsigned, though the settings sign them (commit.gpgsign): commands have no key without signing.commits; a person signs with git rebase --exec 'git commit --amend --no-edit -S' or git commit --amend -S]\n`,
        signs.includes('tag') &&
          tags > 0 &&
          `[git: ${counted(tags, 'tag')} unsigned, though the settings sign them (tag.gpgsign): commands have no key without signing.commits]\n`,
        hooks.length > 0 &&
          commits > 0 &&
          `[git: ${counted(commits, 'commit')} made without the hooks ${hooks.join(', ')}]\n`,
      ];
      return notes.filter((note) => note !== false);
    });
}

/** Counts new commits and annotated tags without a signature. Fetched ones are older than the command. */
function madeSince(common: string, before: ReadonlySet<string>, beganAtMs: number) {
  const objects = openObjects([`${common}/objects`]);
  const sinceS = Math.floor(beganAtMs / 1000);
  // git's times are whole seconds: an object of the starting second is new only if no earlier ref led to it.
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

/** The commits and tags reachable from these and not older than this second, without the excluded ones. */
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

/** The hooks of a repository that git would run for a person's commit. */
function hooksOf(common: string, folder: string): readonly string[] {
  const settings = readConfig(readSmall(`${common}/config`) ?? '').entries;
  const named = settings.findLast(({ section, key }) => section === 'core' && key === 'hookspath')?.value;
  const at = named === undefined ? `${common}/hooks` : resolve(folder, named);
  return ['pre-commit', 'prepare-commit-msg', 'commit-msg'].filter((name) => isProgram(`${at}/${name}`));
}

const mostCounted = 100;

/** Limit of tips and commits: a repository can have any number of branches. */
const mostSeen = 100_000;
