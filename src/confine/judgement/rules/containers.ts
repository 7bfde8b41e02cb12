import { text } from '../../../contract/text/text.ts';
import { hasSubcommand, hasWord, leadingWords, onlyTells } from '../words/subcommands.ts';
import type { Word } from '../words/word.ts';
import { mayStayHere } from './needs.ts';
import type { CommandRule } from './rule.ts';

const person = text("It needs a person's approval.", '人の承認が必要です。');

/** Containers and clusters: what runs there is outside of these walls. */
export const containerRules: readonly CommandRule[] = [
  {
    id: 'container',
    decision: 'ask',
    programs: [
      'docker',
      'docker.io',
      'crictl',
      'podman-remote',
      'docker-machine',
      'colima',
      'limactl',
      'podman',
      'nerdctl',
      'docker-compose',
      'podman-compose',
      'lxc',
      'lxd',
      'ctr',
      'buildah',
      'vagrant',
      'virsh',
    ],
    because: text('containers reach outside the sandbox', 'コンテナーはサンドボックスの外に影響します'),
    suggestion: person,
    fits: ({ program, args }) => !onlyTells(args) && !onlyReads(program, args),
    needs: ({ args }) =>
      // Behind the subcommand they are options of its own, or of what it runs.
      optionsFirst(args).some(({ prefix }) => /^-(H|c$|-host|-context)/.test(prefix))
        ? undefined
        : { kind: 'daemon' },
    match: [
      'docker run -it alpine sh',
      'docker-compose up',
      'docker -H ssh://box ps',
      'docker config rm x',
      'docker compose -f x.yml up',
      'docker context use x',
      'docker "$x" ps',
    ],
    notMatch: [
      'cat docker-compose.yml',
      'grep docker README.md',
      'hadolint Dockerfile',
      'docker --version',
      'docker ps -a',
      'docker compose -f x.yml logs api',
      'docker-compose ps',
      'docker image ls',
      'docker run --help',
    ],
  },
  {
    id: 'cluster-delete',
    decision: 'ask',
    programs: ['kubectl', 'oc', 'helm', 'terraform', 'tofu', 'pulumi'],
    because: text('it removes or changes running systems', '稼働中のシステムを削除または変更します'),
    suggestion: person,
    fits: ({ program, args }) =>
      !onlyTries(args) &&
      hasSubcommand(args, [
        ...(/^(kubectl|oc)$/.test(program) ? changesCluster : []),
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
        'upgrade',
        'install',
        'up',
        'cordon',
        'taint',
        'del',
      ]),
    needs: ({ program, args }) =>
      /^(kubectl|oc|helm)$/.test(program) && !mayStayHere(args) ? { kind: 'network' } : undefined,
    match: [
      'kubectl delete pod x',
      'kubectl -n prod delete pod x',
      'kubectl --context a delete ns b',
      'kubectl delete pod x --dry-run=none',
      'kubectl exec x -- ls --dry-run',
      'kubectl rollout undo deploy/api',
      'kubectl create clusterrolebinding x --clusterrole=cluster-admin --user=y',
      'kubectl -n prod set image deploy/api api=api:2',
      'helm uninstall x',
      'terraform destroy',
    ],
    notMatch: [
      'kubectl get pods',
      'kubectl logs x',
      'terraform plan',
      'helm list',
      'kubectl apply --dry-run=client -f x.yml',
      'kubectl -n web rollout status deploy/api',
      'helm upgrade web ./chart --dry-run',
      'kubectl create job x --image=y --dry-run=client -o yaml',
      'kubectl config set-context --current --namespace=dev',
      'helm create web',
    ],
  },
];

/** What kubectl(1) changes by, beside what other tools have too; `helm create` makes a folder. */
const changesCluster = [
  ...['create', 'run', 'expose', 'set', 'label', 'annotate', 'autoscale'],
  ...['uncordon', 'certificate', 'cp', 'debug', 'attach'],
];

const things =
  /^(image|container|network|volume|context|system|builder|buildx|node|service|stack|config|secret|plugin|manifest|compose|pod|machine)$/;
const looks =
  /^(ps|ls|list|images|logs|inspect|version|info|stats|top|port|history|search|diff|events|df|tree|show|status|global-status)$/;
const composeOptions = /^(-f|--file|-p|--project-name|--profile|--env-file|--project-directory)$/;

/** `docker ps`, `docker compose -f x logs`: nothing changes, and it is this machine's own. */
function onlyReads(program: string, args: readonly Word[]): boolean {
  if (hasWord(args, /^--help$/)) return true;
  const isCompose = /-compose$/.test(program);
  const [first = '', second = ''] = [
    ...(isCompose ? ['compose'] : []),
    ...leadingWords(args, composeOptions),
  ];
  if (first === 'compose' && second === 'config') return true;
  return looks.test(things.test(first) ? second : first);
}

/** Options that stand before the subcommand, each with a word that may be its value. */
function optionsFirst(args: readonly Word[]): readonly Word[] {
  const end = args.findIndex(
    ({ prefix }, at) => !prefix.startsWith('-') && !args[at - 1]?.prefix.startsWith('-'),
  );
  return end < 0 ? args : args.slice(0, end);
}

/** A dry run, or a look at a rollout. */
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
