import { spawnSync } from 'node:child_process';
import { type EngineName, engines, type RuntimeChoice } from '../../config/runtime.ts';
import { ConfigError } from '../../contract/error.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { errnoCode } from '../../ground/errors/errno-code.ts';
import { versionOf } from '../common/version.ts';

/** Runs an engine with arguments and returns its exit code; undefined if the program is missing. */
export type Try = (engine: EngineName, args: readonly string[]) => number | undefined;

export interface Engine {
  readonly name: EngineName;
  readonly image: string;
}

/** The name from `sekisho image build`. `localhost` is no registry, so an engine never fetches it. */
export function ownImage(): string {
  return `localhost/sekisho:${versionOf()}`;
}

/** The engine that has the image. Throws `ConfigError` with what is missing and how to get it. */
export function engineWithImage(
  choice: Pick<RuntimeChoice, 'engine' | 'image'>,
  program: string,
  attempt: Try = tryEngine,
): Engine {
  const image = choice.image ?? ownImage();
  const wanted = choice.engine ? [choice.engine] : engines;
  const found = wanted.find(
    (name) => attempt(name, ['image', 'inspect', '--format', '{{.Id}}', image]) === 0,
  );
  if (found) return { name: found, image };
  const answering = answeringEngine(choice.engine, attempt);
  const howTo = choice.image
    ? text(`\`${answering} pull ${image}\` fetches it.`, `\`${answering} pull ${image}\` で取得できます。`)
    : text(`\`${program} image build\` makes it.`, `\`${program} image build\` で作成できます。`);
  throw new ConfigError(
    `${answering} has no image ${image}. ${howTo.en}`,
    `${answering} にイメージ ${image} がありません。${howTo.ja}`,
  );
}

/** The first engine that answers, with or without the image. Throws `ConfigError` if none does. */
export function answeringEngine(wanted: EngineName | undefined, attempt: Try = tryEngine): EngineName {
  const states = (wanted ? [wanted] : engines).map((name) => ({ name, code: attempt(name, ['info']) }));
  const answering = states.find(({ code }) => code === 0);
  if (answering) return answering.name;
  const silent = states.find(({ code }) => code !== undefined);
  throw new ConfigError(silent ? doesNotAnswer(silent.name) : noEngine(wanted));
}

function doesNotAnswer(name: EngineName): Text {
  const how = {
    docker: text('start Docker Desktop, or its service', 'Docker Desktop かそのサービスを起動してください'),
    podman: text(
      '`podman machine start` starts it, and `podman info` says what is wrong',
      '`podman machine start` で起動できます。原因は `podman info` で確認できます',
    ),
  }[name];
  return text(
    `${name} is installed but does not respond: ${how.en}.`,
    `${name} はインストールされていますが応答しません: ${how.ja}。`,
  );
}

function noEngine(wanted: EngineName | undefined): Text {
  const names = wanted ?? 'docker or podman';
  return text(
    `A container needs ${names}, and the PATH has none. Install one, or use a Linux machine (WSL 2, a virtual machine) with --runtime host.`,
    `コンテナーには ${wanted ?? 'docker か podman'} が必要ですが、PATH にありません。どちらかをインストールするか、Linux（WSL 2、仮想マシン）で --runtime host を使ってください。`,
  );
}

function tryEngine(engine: EngineName, args: readonly string[]): number | undefined {
  const { status, error } = spawnSync(engine, args, { stdio: 'ignore', timeout: 20_000, windowsHide: true });
  if (errnoCode(error) === 'ENOENT') return undefined;
  return status ?? 1;
}
