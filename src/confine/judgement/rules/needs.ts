import type { Confinement } from '../../../contract/capabilities/judgement.ts';
import { type Text, text } from '../../../contract/text/text.ts';
import { readGitLine } from '../unwrap/git.ts';
import { readOptions } from '../words/options.ts';
import type { Word } from '../words/word.ts';
import type { ConstructRule, Need, Use } from './rule.ts';

/** A refusal in place of a question that could not help: what a person allows would fail at once. */
export interface Lack {
  readonly rule: string;
  readonly suggestion: Text;
}

/** What of a need this confinement does not give; nothing where a person's yes could help. */
export function lackOf(need: Need | undefined, confinement: Confinement | undefined): Lack | undefined {
  if (!need || !confinement) return undefined;
  // With any host listed, a mirror could be among them.
  if (need.kind === 'network' && confinement.network.length > 0) return undefined;
  const { id: rule, suggestion } = lacks[need.kind];
  if (need.kind !== 'network' || !need.hosts) return { rule, suggestion };
  const hosts = need.hosts.map((host) => JSON.stringify(host)).join(', ');
  const offline = need.offline
    ? text(
        `With ${need.offline} it runs at once, from what is cached here.`,
        `${need.offline} を付けると、ここにあるキャッシュからすぐに実行されます。`,
      )
    : text('Work with what is installed here.', 'ここにあるもので作業してください。');
  return {
    rule,
    suggestion: text(
      `${offline.en} The operator can list what it needs: process.network: [${hosts}].`,
      `${offline.ja}運用者は必要なホストを process.network: [${hosts}] で許可できます。`,
    ),
  };
}

/** May these words name this machine, a folder, or something that is not known before it runs? */
export function mayStayHere(args: readonly Word[]): boolean {
  return args.some(
    ({ value }) =>
      value === undefined || /localhost|\b127\.|\[?::1\b|^file:|=file:|^local$|connection=local/.test(value),
  );
}

/** A push goes to another machine unless its target is written as a path, or is not known. */
export function pushNeed({ program, args }: Use): Need | undefined {
  const network: Need = { kind: 'network', hosts: ['github'] };
  if (args.some(({ value }) => value === undefined)) return undefined;
  if (program !== 'git')
    return mayStayHere(args) || /^(config|alias)$/.test(args[0]?.value ?? '') ? undefined : network;
  const { verb, rest } = readGitLine(args);
  if (!/^(push|send-email)$/.test(verb?.value ?? '')) return undefined;
  const options = readOptions(rest, {
    valued: 'o',
    longValued: ['push-option', 'repo', 'receive-pack', 'exec'],
  });
  const named = [
    ...options.operands.slice(0, 1),
    ...options.given.flatMap(({ name, value }) => (name === 'repo' && value ? [value] : [])),
  ];
  return named.some(({ value }) => isPath(value ?? '/')) ? undefined : network;
}

/** As git tells a path from `host:path`, a URL and the name of a remote. */
function isPath(target: string): boolean {
  return /^file:/.test(target) || (/[/~]|^\.+$/.test(target) && !/^[^/]+:/.test(target));
}

const lacks = {
  network: {
    id: 'needs-network',
    decision: 'deny',
    whenConfined: true,
    because: text(
      'it needs the network, but no host is listed that commands may reach',
      'ネットワークが必要ですが、コマンドが接続できるホストが指定されていません',
    ),
    suggestion: text(
      'Work with what is here. The operator can list the hosts that it needs in process.network.',
      'ここにあるもので作業してください。運用者は必要なホストを process.network で許可できます。',
    ),
    match: [
      'npm install',
      'npm ci',
      'yarn',
      'pip install requests',
      'python3 -m pip install requests',
      'git push origin main',
      'git push git@github.com:a/b.git',
      'ssh host ls',
      'gh pr create',
      'kubectl delete pod x',
      'twine upload dist/x.whl',
      'rsync -a . host:/x',
    ],
    notMatch: [
      'npm test',
      'npm uninstall x',
      'npm ci --offline',
      'npm install "$x"',
      'pip install ./local',
      'pip install --no-index -e .',
      'git push ../mirror.git main',
      'git push file:///srv/x.git',
      'git push "$where"',
      'aws --endpoint-url=http://localhost:4566 s3 rm s3://a/b',
      'curl http://localhost:3000',
      'cargo build --offline',
    ],
  },
  system: {
    id: 'needs-system',
    decision: 'deny',
    whenConfined: true,
    because: text(
      'it needs another user or the system itself, which commands here cannot use',
      '別のユーザーまたはシステム自体への権限が必要ですが、ここのコマンドにはありません',
    ),
    suggestion: text(
      'Do it inside the workspace without that, and ask the person to install or change what is outside.',
      'ワークスペース内で、それなしで行ってください。外部への導入や変更は人に依頼してください。',
    ),
    match: [
      'sudo ls',
      'apt-get install -y jq',
      'apt install jq',
      'systemctl restart nginx',
      'crontab -e',
      'dpkg -i x.deb',
    ],
    notMatch: ['apt list', 'systemctl status nginx', 'crontab -l', 'grep -r sudo .', 'sudo --version'],
  },
  daemon: {
    id: 'needs-daemon',
    decision: 'deny',
    whenConfined: true,
    because: text(
      'it needs a daemon of this machine, which commands here cannot reach',
      'このマシンのデーモンが必要ですが、ここのコマンドからは接続できません',
    ),
    suggestion: text(
      'Run the program itself, or ask the person to start the container.',
      'プログラムを直接実行するか、コンテナーの起動を人に依頼してください。',
    ),
    match: ['docker run -it alpine sh', 'docker compose up -d'],
    notMatch: ['docker --version', 'docker ps', 'docker -H tcp://box:2375 ps', 'cat docker-compose.yml'],
  },
} as const satisfies Record<Need['kind'], ConstructRule>;

/** Refusals that stand in the place of questions. */
export const needRules: readonly ConstructRule[] = Object.values(lacks);
