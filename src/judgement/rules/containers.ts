import { text } from '../../contract/text/text.ts';
import { hasWord, leadingWords, onlyTells } from '../words/subcommands.ts';
import type { Word } from '../words/word.ts';
import type { CommandRule } from './rule.ts';

const person = text("It needs a person's approval.", '人の承認が必要です。');

/** Containers and clusters: processes there run outside the sandbox. */
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
    // A sandbox reaches no daemon of this machine, and requests to another one are looked into.
    needs: 'machine',
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
];

const things =
  /^(image|container|network|volume|context|system|builder|buildx|node|service|stack|config|secret|plugin|manifest|compose|pod|machine)$/;
const looks =
  /^(ps|ls|list|images|logs|inspect|version|info|stats|top|port|history|search|diff|events|df|tree|show|status|global-status)$/;
const composeOptions = /^(-f|--file|-p|--project-name|--profile|--env-file|--project-directory)$/;

/** `docker ps`, `docker compose -f x logs`: nothing changes, and the daemon is local. */
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
