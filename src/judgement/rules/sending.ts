import { text } from '../../contract/text/text.ts';
import { readGitLine } from '../unwrap/git.ts';
import { readOptions } from '../words/options.ts';
import { hasSubcommand, hasWord, leadingWords } from '../words/subcommands.ts';
import type { Word } from '../words/word.ts';
import type { CommandRule } from './rule.ts';

/** Version control and its hosting services: changes that other people see. */
export const sendingRules: readonly CommandRule[] = [
  {
    id: 'git-push',
    decision: 'ask',
    programs: ['git', 'jj', 'hg', 'svn', 'gh', 'glab'],
    because: text('it changes what others see', '他の人に見えるものを変更します'),
    suggestion: text("It needs a person's approval.", '人の承認が必要です。'),
    fits: ({ program, args }) => {
      switch (program) {
        case 'git':
          return gitSends(args);
        case 'svn':
          return hasSubcommand(args, svnSends);
        case 'hg':
          return hasSubcommand(args, ['push', 'email']);
        case 'jj':
          return leadingWords(args, /^(-R|--repository|--config|--at-op)$/)
            .join(' ')
            .startsWith('git push');
        default:
          return forgeChanges(args);
      }
    },
    needs: 'tunnels',
    match: [
      'git push origin main',
      'git -C x push',
      'git -c user.name=a push',
      'git --no-pager push',
      'git subtree push --prefix=a origin main',
      'git lfs push origin main',
      '/usr/lib/git-core/git-push origin',
      'hub push',
      'gh extension install x',
      'gh pr create',
      'gh pr -R o/r merge 1',
      'gh issue new',
      'gh api -X DELETE repos/o/r',
      'gh api repos/o/r/issues -f title=x',
      "gh api graphql -f query='mutation { x }'",
      'gh api "$x"',
      'git push --no-dry-run -n',
    ],
    notMatch: [
      'git status',
      'git log --grep push',
      'git stash push',
      'git lfs ls-files',
      'git subtree split --prefix=a',
      'git commit -m "push it"',
      'gh pr list',
      'gh pr -R o/r view 1',
      'gh api repos/o/r --jq .name',
      'gh api -X GET search/issues -f q=x',
      "gh api graphql -f query='{ viewer { login } }'",
      'git push --dry-run origin main',
    ],
  },
];

/** git commands with their own subcommands, some of which send data. */
const gitExtensions = new Set(['subtree', 'lfs', 'annex', 'flow', 'cl', 'stack', 'spice', 'town']);
const sends = /^(push|publish|sync|submit|upload|copy|move|finish)$/;
/** With a URL, each of these makes a commit on the server. */
const svnSends = ['commit', 'ci', 'delete', 'del', 'remove', 'rm', 'import', 'lock', 'unlock'];

function gitSends(args: readonly Word[]): boolean {
  const { verb, rest } = readGitLine(args);
  if (!verb) return false;
  if (verb.value === undefined) return true;
  if (verb.value === 'push' && hasWord(rest, /^(-n|--dry-run)$/)) return hasWord(rest, /^--no-d/);
  return (
    /^(push|send-pack|send-email|svn|p4|http-push|imap-send|for-each-repo)$/.test(verb.value) ||
    (gitExtensions.has(verb.value) && rest.some((word) => sends.test(word.value ?? 'push')))
  );
}

/** Verbs with which `gh` and `glab` only show or download; all other verbs may change data that other people see. */
const shows =
  /^(view|list|ls|status|diff|checks|watch|download|checkout|co|clone|verify|trace|get|set-default|check|token|setup-git)$/;
const alone = /^(status|search|browse|version|help|completion|--version|--help)$/;

function forgeChanges(args: readonly Word[]): boolean {
  const { operands } = readOptions(args, { valued: 'R', longValued: ['repo', 'hostname'] });
  const [topic, verb] = operands;
  if (!topic) return args.some(({ value }) => value === undefined);
  if (topic.value === undefined) return true;
  if (topic.value === 'api') return apiChanges(args.slice(args.indexOf(topic) + 1));
  if (alone.test(topic.value) || hasWord(args, /^(-h|--help)$/)) return false;
  return verb !== undefined && !shows.test(verb.value ?? '');
}

/** `gh api` only reads, unless a method or fields are given. */
function apiChanges(args: readonly Word[]): boolean {
  const { given, operands, unsure } = readOptions(args, {
    valued: 'XfFHqtp',
    longValued: [
      'method',
      'field',
      'raw-field',
      'header',
      'jq',
      'template',
      'preview',
      'input',
      'hostname',
      'cache',
    ],
  });
  if (unsure) return true;
  const values = (letters: string, names: readonly string[]) =>
    given
      .filter(({ name, long }) => (long ? names.includes(name) : letters.includes(name)))
      .map(({ value }) => value);
  const methods = values('X', ['method']);
  if (methods.length > 0) return !methods.every((method) => /^(GET|HEAD)$/i.test(method?.value ?? ''));
  const fields = values('fF', ['field', 'raw-field']);
  if (values('', ['input']).length > 0) return true;
  if (operands[0]?.value !== 'graphql') return fields.length > 0;
  return !fields.every((field) => queries.test(field?.value ?? ''));
}

/** A variable of the GraphQL query, or a query that changes nothing. */
const queries = /^(?!query=)\w+=|^query=\s*(query\b|\{)(?![\s\S]*\bmutation\b)/;
