import type { RemoteChanges } from '../../contract/capabilities/judgement.ts';
import { text } from '../../contract/text/text.ts';
import { readGitLine } from '../unwrap/git.ts';
import { readOptions } from '../words/options.ts';
import type { Word } from '../words/word.ts';
import type { CommandRule, Use } from './rule.ts';

/** The remotes that a repository fetches from and pushes to. */
export const gitRemoteRules: readonly CommandRule[] = [
  {
    id: 'git-remote',
    decision: 'ask',
    programs: ['git'],
    because: text(
      'it changes where the repository fetches from and pushes to',
      'リポジトリの取得元と送信先を変更します',
    ),
    suggestion: text(
      "It needs a person's approval. git remote add does not.",
      '人の承認が必要です。git remote add には不要です。',
    ),
    fits: (use) => (remoteChangesOf(use)?.remotes.length ?? 0) > 0,
    examples: [
      'git remote set-url origin https://x.example/y.git',
      'git remote set-url --push origin git@x.example:y.git',
      'git -C sub remote rename origin upstream',
    ],
  },
];

/**
 * The remotes whose address this command changes or removes, and the new addresses. Undefined if it changes none, or
 * its words do not tell: then its changes are reverted when it ends, and no question is asked.
 */
export function remoteChangesOf({ args }: Use): RemoteChanges | undefined {
  const { verb, rest } = readGitLine(args);
  const words =
    verb?.value === 'remote' ? ofRemote(rest) : verb?.value === 'config' ? ofConfig(rest) : undefined;
  if (!words) return undefined;
  const valuesOf = (known: readonly Word[]) => known.flatMap(({ value }) => value ?? []);
  const [remotes, addresses] = [valuesOf(words.remotes), valuesOf(words.addresses)];
  return remotes.length === words.remotes.length && addresses.length === words.addresses.length
    ? { remotes, addresses }
    : undefined;
}

interface Changed {
  readonly remotes: readonly Word[];
  readonly addresses: readonly Word[];
}

function ofRemote(words: readonly Word[]): Changed | undefined {
  const [how, name, ...more] = readOptions(words, { valued: 'tm' }).operands;
  if (!name) return undefined;
  if (how?.value === 'set-url') return { remotes: [name], addresses: more.slice(0, 1) };
  // A new remote needs no question by itself; one that replaces another is part of that question.
  if (how?.value === 'add') return { remotes: [], addresses: more.slice(0, 1) };
  // The second word is a new remote, which `git remote add` may create too.
  return /^(rename|remove|rm)$/.test(how?.value ?? '') ? { remotes: [name], addresses: [] } : undefined;
}

function ofConfig(words: readonly Word[]): Changed | undefined {
  const { given, operands } = readOptions(words, {
    valued: 'f',
    longValued: ['file', 'blob', 'type', 'default', 'comment', 'value', 'url'],
  });
  const names = given.map(({ name }) => name);
  // The person's own file is not in the sandbox, and another file belongs to no repository.
  if (names.some((name) => /^(f|file|blob|global|system|get.*|l|list)$/.test(name))) return undefined;
  const verbs = /^(set|unset|get|get-all|list|remove-section|rename-section|edit)$/;
  const verb = verbs.test(operands[0]?.value ?? '') ? operands[0]?.value : undefined;
  const [key, value] = verb === undefined ? operands : operands.slice(1);
  const how = verb ?? names.find((name) => verbs.test(name) || /^unset-all$/.test(name));
  const section = /^(remove|rename)-section$/.test(how ?? '');
  const remote = (section ? /^remote\.(.+)$/i : /^remote\.(.+)\.(push)?url$/i).exec(key?.value ?? '')?.[1];
  if (key === undefined || remote === undefined || /^(get|list|edit)/.test(how ?? '')) return undefined;
  const takesAway = section || how?.startsWith('unset') === true;
  if (!takesAway && !value) return undefined;
  return { remotes: [{ ...key, value: remote }], addresses: value && !takesAway ? [value] : [] };
}
