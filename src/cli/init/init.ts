import { resolve } from 'node:path';
import { loadSettings } from '../../config/load.ts';
import { spokenLocale } from '../../config/locale.ts';
import { assertMakeable } from '../../config/places/makeable.ts';
import { placementOf, UnnamedFolderError } from '../../config/places/projects.ts';
import { existingFolder } from '../../config/places/roots.ts';
import { configPathOf, homeOf } from '../../config/places/state.ts';
import { type Runtime, runtimes } from '../../config/runtime.ts';
import { oneOf } from '../../contract/error.ts';
import { type Text, text, verbatim } from '../../contract/text/text.ts';
import { clientConfig, clientNames, startsElsewhere } from '../clients.ts';
import type { Options } from '../common/options.ts';
import { ownCommand, ownName } from '../common/own-command.ts';
import { say } from '../common/say.ts';
import { startByProgram } from '../resident/program-file.ts';
import { addProject } from './add-project.ts';
import { hookedClients } from './hooked-clients.ts';
import { initHooks, removeHooks } from './hooks.ts';
import { switchOff, switchOn } from './own-tools.ts';
import { askPerson, networkFor, ownToolsOf, profileNames } from './questions.ts';

/**
 * Adds the folder to the projects in `sekisho.jsonc` and prints the text to paste into a client. Asks at a terminal;
 * with `--yes`, or without a terminal, takes the defaults and the options. Replaces a project only with `--force`.
 */
export async function init(options: Options): Promise<number> {
  const locale = spokenLocale([], process.env);
  const out = options.out === undefined ? undefined : String(options.out);
  const path = configPathOf(out, process.env, homeOf(process.env), process.cwd());
  assertMakeable(path, text('the configuration', '設定ファイル'));
  const asks = !options.yes && process.stdin.isTTY;
  const given = {
    folder: options.root === undefined ? folderHere(asks) : resolve(String(options.root)),
    profile: oneOf('--profile', String(options.profile ?? 'coding'), profileNames),
    client: oneOf('--client', String(options.client ?? 'claude'), clientNames),
  };
  const runtime = runtimeFor(options.runtime);
  const answers = asks
    ? await askPerson(given, locale)
    : {
        ...given,
        network: networkFor(given.profile, given.folder),
        ownTools: oneOf('--own-tools', String(options.ownTools ?? 'keep'), ownToolsOf(given.client)),
      };
  if (!answers) {
    process.stderr.write(`\n${words.nothing[locale]}\n`);
    return 1;
  }
  const folder = existingFolder(answers.folder);
  const added = addProject(
    { path, replaces: options.force === true },
    { ...answers, folder },
    runtime,
    locale,
  );
  // The written file must load. A file that would stop the next start is our bug, found here.
  const { resident } = loadSettings({ config: path, root: folder });
  const isUsual = path === configPathOf(undefined, process.env, homeOf(process.env), process.cwd());
  const own = ownCommand([
    'serve',
    ...(isUsual && !process.env.XDG_CONFIG_HOME ? [] : ['--config', path]),
    ...(startsElsewhere.has(answers.client) ? ['--root', folder] : []),
  ]);
  const { command, args } = resident ? await startByProgram(own) : own;
  const { file, words: lines, needs, alone, off } = clientConfig(answers.client, command, args);
  const parts = [
    added === 'written' ? words.wrote(path) : words.added(folder, path),
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
    return (await switchOff(answers.client, off, folder, options.yes === true)) ? 0 : 1;
  return 0;
}

/** The project that contains the current folder. A home counts only if the person names it when asked. */
function folderHere(asks: boolean): string {
  try {
    return placementOf([], process.cwd(), homeOf(process.env)).root;
  } catch (error) {
    if (asks && error instanceof UnnamedFolderError) return process.cwd();
    throw error;
  }
}

/** The runtime for the file: the requested one, or the container if this machine has nothing else. */
function runtimeFor(named: unknown): Runtime | undefined {
  return runtimes.find((each) => each === named) ?? (process.platform === 'linux' ? undefined : 'container');
}

const words = {
  nothing: text('Nothing was written.', '何も書きませんでした。'),
  wrote: (path: string) => text(`Wrote ${path}.`, `${path} を書きました。`),
  added: (folder: string, path: string) =>
    text(
      `Added ${folder} to the projects in ${path}.`,
      `${path} のプロジェクトに ${folder} を追加しました。`,
    ),
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

/** Removes `init`'s entries from a client's settings: hooks, and names of its own tools. */
export async function removeOurs(options: Options): Promise<number> {
  const client = String(options.client ?? 'claude');
  // Hooks may have been written into the same file after its tools were switched off.
  const ofHooks = hookedClients.has(client) ? await removeHooks(options) : undefined;
  const known = clientNames.find((name) => name === client);
  const off = known && clientConfig(known, '', []).off;
  const isOn = await switchOn(client, off, resolve(String(options.root ?? '.')), options.yes === true);
  if (isOn !== undefined) return isOn ? (ofHooks ?? 0) : 1;
  return ofHooks ?? removeHooks(options);
}
