import { optionsNamed, readOptions } from '../words/options.ts';
import { mayBeOption, type Word } from '../words/word.ts';
import { type Inner, joined } from './inner.ts';

const valuedGlobals = new Set(
  '-C -c --git-dir --work-tree --namespace --config-env --super-prefix --attr-source'.split(' '),
);

export interface GitLine {
  /** The word with the subcommand; undefined if a word before it is not literal. */
  readonly verb: Word | undefined;
  readonly rest: readonly Word[];
}

/** Reads git's own options before the subcommand. */
export function readGitLine(words: readonly Word[]): GitLine {
  let index = 0;
  for (; index < words.length; index++) {
    const word = words[index] as Word;
    if (mayBeOption(word) && !/^--[\w-]+=/.test(word.prefix)) return { verb: undefined, rest: [] };
    if (!word.prefix.startsWith('-')) break;
    if (valuedGlobals.has(word.value ?? '')) index++;
  }
  return { verb: words[index], rest: words.slice(index + 1) };
}

/** Commands that git runs for its caller: `bisect run`, `submodule foreach`, `rebase --exec`, `filter-branch`. */
export function unwrapGit(words: readonly Word[]): readonly Inner[] {
  const { verb, rest } = readGitLine(words);
  switch (verb?.value) {
    case 'bisect':
      return rest[0]?.value === 'run' && rest.length > 1 ? [{ kind: 'command', words: rest.slice(1) }] : [];
    case 'submodule': {
      const at = rest.findIndex(({ value }) => value === 'foreach');
      const command = at < 0 ? [] : rest.slice(at + 1).filter((word) => word.value !== '--recursive');
      return command.length === 0 ? [] : [joined(command)];
    }
    case 'rebase':
      return scriptsOf(rest, 'x', ['exec'], 'sXCm');
    case 'difftool':
      return scriptsOf(rest, 'x', ['extcmd'], 't');
    case 'filter-branch':
      return scriptsOf(
        rest,
        '',
        ['env-filter', 'tree-filter', 'index-filter', 'msg-filter', 'commit-filter'],
        'd',
      );
    default:
      return [];
  }
}

function scriptsOf(
  words: readonly Word[],
  letters: string,
  names: readonly string[],
  otherValued: string,
): readonly Inner[] {
  const options = readOptions(words, { valued: letters + otherValued, longValued: names });
  return optionsNamed(options, letters, names).flatMap(({ value }) =>
    value ? [{ kind: 'script', source: value }] : [],
  );
}
