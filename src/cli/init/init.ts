import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { loadSettings } from '../../config/load.ts';
import { spokenLocale } from '../../config/locale.ts';
import { assertMakeable } from '../../config/makeable.ts';
import { profiles } from '../../config/profiles.ts';
import { type Runtime, runtimes } from '../../config/runtime.ts';
import { configFolderOf, homeOf } from '../../config/state.ts';
import { ConfigError } from '../../contract/error.ts';
import { type Locale, type Text, text, verbatim } from '../../contract/text/text.ts';
import { clientConfig, clientNames } from '../clients.ts';
import { ownCommand, ownName, schemaAddress } from '../common/own-command.ts';
import { say } from '../common/say.ts';
import { initHooks } from './hooks.ts';
import { switchOff } from './own-tools.ts';
import { type Answers, askPerson, networkFor, oneOf, ownToolsOf, profileNames } from './questions.ts';

type Options = Readonly<Record<string, unknown>>;

/**
 * Writes `sekisho.jsonc` and prints what to paste into a client. Asks where a terminal is there; with `--yes`, or
 * without a terminal, takes the defaults and the options. Never overwrites a file unless told to.
 */
export async function init(options: Options): Promise<number> {
  const locale = spokenLocale([], process.env);
  const path = resolve(
    String(options.out ?? join(configFolderOf(process.env, homeOf(process.env)), 'sekisho.jsonc')),
  );
  assertMakeable(path, text('the configuration', '設定ファイル'));
  if (existsSync(path) && !options.force) {
    throw new ConfigError(
      text(
        `${path} already exists. \`--force\` replaces it, \`--out FILE\` writes another file.`,
        `${path} は既にあります。\`--force\` で置き換え、\`--out FILE\` で別のファイルに書けます。`,
      ),
    );
  }
  const given = {
    folder: resolve(String(options.root ?? process.cwd())),
    profile: oneOf(verbatim('--profile'), String(options.profile ?? 'coding'), profileNames),
    client: oneOf(verbatim('--client'), String(options.client ?? 'claude'), clientNames),
  };
  const runtime = runtimeFor(options.runtime);
  const answers =
    options.yes || !process.stdin.isTTY
      ? {
          ...given,
          network: networkFor(given.profile, given.folder),
          ownTools: oneOf(
            verbatim('--own-tools'),
            String(options.ownTools ?? 'keep'),
            ownToolsOf(given.client),
          ),
        }
      : await askPerson(given, locale);
  if (!answers) {
    process.stderr.write(`\n${words.nothing[locale]}\n`);
    return 1;
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, configFor(answers, runtime, locale), { mode: 0o600 });
  // What was written must load; a file that would stop the next start is a mistake of ours, found here.
  loadSettings({ config: path });
  const { command, args } = ownCommand(['serve', '--config', path]);
  const { file, words: lines, needs, alone, off } = clientConfig(answers.client, command, args);
  const parts = [
    words.wrote(path),
    ...(answers.network.length > 0 ? [words.reaches(answers.network)] : []),
    words.put(file),
    verbatim(lines),
    ...(needs ? [needs] : []),
    ...(runtime === 'container' ? [words.container()] : []),
    ...(answers.ownTools === 'keep' ? [words.alone(alone)] : []),
    words.doctor(),
  ];
  say(parts.map((part) => part[locale]).join('\n\n'));
  if (answers.ownTools === 'hooks') return initHooks({ client: answers.client, out: path, yes: options.yes });
  if (answers.ownTools === 'off' && off)
    return (await switchOff(answers.client, off, answers.folder, options.yes === true)) ? 0 : 1;
  return 0;
}

function configFor(
  { folder, profile, network }: Answers,
  runtime: Runtime | undefined,
  locale: Locale,
): string {
  const reached = `  // ${comments.network[locale]}
  "process": { "network": ${JSON.stringify(network)} },
`;
  return `{
  "$schema": ${JSON.stringify(schemaAddress())},
  // ${profiles[profile].summary[locale]}
  "profile": ${JSON.stringify(profile)},
  // ${comments.folders[locale]}
  "roots": [${JSON.stringify(folder)}],
${runtime ? `  // ${comments.runtime[locale]}\n  "runtime": ${JSON.stringify(runtime)},\n` : ''}  // ${comments.mode[locale]}
  "mode": "workspace-write",
${network.length > 0 ? reached : ''}  // ${comments.rules[locale]}
  "rules": []
}
`;
}

/** What the file says of it: what was asked for, or the container where this machine has nothing else. */
function runtimeFor(named: unknown): Runtime | undefined {
  return runtimes.find((each) => each === named) ?? (process.platform === 'linux' ? undefined : 'container');
}

const comments = {
  runtime: text(
    'host, or container: the server runs in docker or podman, with the folders below mounted',
    'host または container。container では、サーバーが docker または podman の中で動き、下のフォルダーがマウントされます',
  ),
  folders: text(
    'Folders that tools can see; relative paths start in the first one.',
    'ツールから見えるフォルダー。相対パスは最初のフォルダーを起点とします。',
  ),
  mode: text(
    'read-only, workspace-write (a person is asked about risky calls) or full-access',
    'read-only、workspace-write（危険な呼び出しは人に確認）、full-access のいずれか',
  ),
  network: text(
    'Hosts that commands can reach, as names of sets; `sekisho policy show` lists their hosts.',
    'コマンドが接続できるホスト。組の名前で指定します。組に含まれるホストは `sekisho policy show` で確認できます。',
  ),
  rules: text(
    'Your own rules; the strictest matching rule wins.',
    '独自の規則。当てはまる規則のうち、最も厳しいものが適用されます。',
  ),
} as const;

const words = {
  nothing: text('Nothing was written.', '何も書きませんでした。'),
  wrote: (path: string) => text(`Wrote ${path}.`, `${path} を書きました。`),
  reaches: (network: readonly string[]) =>
    text(
      `Commands can reach only the hosts of these sets: ${network.join(', ')}. \`${ownName()} policy show\` lists them.`,
      `コマンドが接続できるのは、次の組のホストだけです: ${network.join('、')}。一覧は \`${ownName()} policy show\` で確認できます。`,
    ),
  put: (file: Text) => text(`Put this into ${file.en}:`, `次を ${file.ja} に追加してください:`),
  alone: (how: Text) =>
    text(
      `The client still has its own tools, and what the model does with those is neither asked about nor recorded here. To switch them off: ${how.en}`,
      `クライアント自身のツールは残っており、モデルがそれで行うことはここでは確認も記録もされません。無効にするには: ${how.ja}`,
    ),
  container: () =>
    text(
      `These lines start Sekisho on this machine, and it starts a container (docker or podman). Build its image once: \`${ownName()} image build\`.`,
      `この設定では、Sekisho がこのマシンで起動し、コンテナー（docker または podman）を開始します。最初に 1 回、\`${ownName()} image build\` でイメージをビルドしてください。`,
    ),
  doctor: () =>
    text(
      `\`${ownName()} doctor\` shows what works on this machine.`,
      `このマシンで何が動くかは \`${ownName()} doctor\` で分かります。`,
    ),
} as const;
