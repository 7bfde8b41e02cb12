import { hasSubcommand, hasWord, leadingWords } from '../words/subcommands.ts';
import type { Word } from '../words/word.ts';

/** Tools that change what runs in a cluster or a cloud. */
export const clusterTools: readonly string[] = ['kubectl', 'oc', 'helm', 'terraform', 'tofu', 'pulumi'];

export function changesCluster(program: string, args: readonly Word[]): boolean {
  const names = [...changing, ...(/^(kubectl|oc)$/.test(program) ? changingByKubectl : [])];
  return !onlyTries(args) && hasSubcommand(args, names);
}

const changing = [
  ...[
    'delete',
    'drain',
    'uninstall',
    'destroy',
    'apply',
    'replace',
    'scale',
    'exec',
    'edit',
    'patch',
    'rollout',
  ],
  ...['upgrade', 'install', 'up', 'cordon', 'taint', 'del'],
];

/** kubectl(1)'s changing subcommands, besides the common ones; `helm create` makes a folder. */
const changingByKubectl = [
  ...['create', 'run', 'expose', 'set', 'label', 'annotate', 'autoscale'],
  ...['uncordon', 'certificate', 'cp', 'debug', 'attach'],
];

/** Is it a dry run, or a look at a rollout? */
function onlyTries(args: readonly Word[]): boolean {
  const [first, second] = leadingWords(
    args,
    /^(-n|--namespace|--context|--kubeconfig|--cluster|--kube-context)$/,
  );
  if (first === 'rollout') return second === 'status' || second === 'history';
  return (
    hasWord(args, /^--(help|dry-run(=(client|server|true))?)$/) && !hasWord(args, /^--dry-run=(none|false)$/)
  );
}
