import { optionsNamed, readOptions } from '../words/options.ts';
import { literalWord, mayBeOption, partOf, type Word } from '../words/word.ts';
import type { Inner } from './inner.ts';

const valuedGlobals = new Set([
  '-C',
  '-c',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--config-env',
  '--super-prefix',
  '--attr-source',
]);

export interface GitLine {
  /** Where the subcommand is read from; nothing where a word before it is not static. */
  readonly verb: Word | undefined;
  readonly rest: readonly Word[];
  /** `KEY=VALUE` of each `-c`. */
  readonly settings: readonly Word[];
  readonly folders: readonly Word[];
  readonly unsure: Word | undefined;
  /** Options that make git run other files: `--exec-path=…`. */
  readonly redirected: Word | undefined;
}

/** git's own options before the subcommand. */
export function readGitLine(words: readonly Word[]): GitLine {
  const settings: Word[] = [];
  const folders: Word[] = [];
  let redirected: Word | undefined;
  let index = 0;
  for (; index < words.length; index++) {
    const word = words[index] as Word;
    const value = word.value;
    if (mayBeOption(word) && !/^--[\w-]+=/.test(word.prefix)) {
      return { verb: undefined, rest: [], settings, folders, unsure: word, redirected };
    }
    if (!word.prefix.startsWith('-')) break;
    if (word.prefix.startsWith('--exec-path=') || word.prefix.startsWith('--config-env')) redirected ??= word;
    if (value === '-c' && words[index + 1]) settings.push(words[index + 1] as Word);
    else if (/^-c./.test(word.prefix)) settings.push(partOf(word, 2));
    if (value === '-C' && words[index + 1]) folders.push(words[index + 1] as Word);
    if (valuedGlobals.has(value ?? '')) index++;
  }
  return {
    verb: words[index],
    rest: words.slice(index + 1),
    settings,
    folders,
    unsure: undefined,
    redirected,
  };
}

/** Commands that git runs for its caller: `!` aliases, `bisect run`, `rebase --exec`, `submodule foreach`. */
export function unwrapGit(words: readonly Word[]): readonly Inner[] {
  const line = readGitLine(words);
  if (line.unsure) return [{ kind: 'unread', rule: 'wrapper-unread', word: line.unsure }];
  const inner: Inner[] = line.folders.map((word) => ({ kind: 'folder', word }));
  for (const setting of line.settings) inner.push(...aliasOf(setting));
  const verb = line.verb?.value;
  const [first] = line.rest;
  if (verb === 'bisect' && first?.value === 'run') inner.push({ kind: 'command', words: line.rest.slice(1) });
  if (verb === 'submodule') {
    const at = line.rest.findIndex((word) => word.value === 'foreach');
    const command =
      at < 0
        ? []
        : line.rest.slice(at + 1).filter((word, index) => index > 0 || !word.value?.startsWith('-'));
    const [script, ...args] = command;
    if (script) inner.push(...shellOrProgram(script, args));
  }
  if (verb === 'rebase') inner.push(...scriptsOf(line.rest, 'x', ['exec'], 'sXCm'));
  if (verb === 'difftool') inner.push(...scriptsOf(line.rest, 'x', ['extcmd'], 't'));
  if (verb === 'filter-branch') {
    const filters = [
      'env-filter',
      'tree-filter',
      'index-filter',
      'parent-filter',
      'msg-filter',
      'commit-filter',
      'tag-name-filter',
      'setup',
    ];
    inner.push(...scriptsOf(line.rest, '', filters, 'd'));
  }
  if (/^(clone|fetch|pull|ls-remote|fetch-pack|clone-pack)$/.test(verb ?? '')) {
    inner.push(...scriptsOf(line.rest, verb === 'clone' ? 'u' : '', ['upload-pack', 'exec'], 'obcj'));
  }
  if (verb === 'push' || verb === 'send-pack')
    inner.push(...scriptsOf(line.rest, '', ['receive-pack', 'exec'], 'o'));
  if (verb === 'archive') inner.push(...scriptsOf(line.rest, '', ['exec'], 'o'));
  if (verb === 'config') {
    const at = line.rest.findIndex((word) => /^alias\./i.test(word.prefix));
    const value = at < 0 ? undefined : line.rest[at + 1];
    if (value) inner.push(...aliasBody(value));
  }
  return inner;
}

function scriptsOf(
  words: readonly Word[],
  letters: string,
  names: readonly string[],
  otherValued: string,
): Inner[] {
  const options = readOptions(words, { valued: letters + otherValued, longValued: names });
  return optionsNamed(options, letters, names).flatMap((option) =>
    option.value && option.name.length !== 0 ? [{ kind: 'script', source: option.value, posix: true }] : [],
  );
}

function aliasOf(setting: Word): Inner[] {
  if (!/^alias\./i.test(setting.prefix)) return [];
  const equals = setting.prefix.indexOf('=');
  return equals < 0 ? [] : aliasBody(partOf(setting, equals + 1));
}

/** An alias is a shell script after `!`, and otherwise words for git itself. */
function aliasBody(body: Word): Inner[] {
  if (body.value === undefined) return [{ kind: 'unread', rule: 'wrapper-unread', word: body }];
  const source = body.value.startsWith('!') ? body.value.slice(1) : `git ${body.value}`;
  // The words after the alias follow it.
  return [{ kind: 'script', source: literalWord(`${source} "$@"`), posix: true }];
}

/** git hands a first word with a blank or a sign of the shell to the shell, and the others as its arguments. */
function shellOrProgram(first: Word, args: readonly Word[]): Inner[] {
  if (first.value !== undefined && /^[\w./-]+$/.test(first.value))
    return [{ kind: 'command', words: [first, ...args] }];
  if (first.value === undefined || args.length === 0) return [{ kind: 'script', source: first, posix: true }];
  return [{ kind: 'script', source: literalWord(`${first.value} "$@"`), posix: true }];
}
