import { type Checkpoint, openCheckpoint, type StdioServing, serveStdio } from '../../checkpoint/index.ts';
import { unreadEnvFile } from '../../config/file/unread-env-file.ts';
import type { Flags, Settings } from '../../config/settings.ts';
import { tracesOf } from '../../config/traces.ts';
import { ConfigError } from '../../contract/error.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { encodeVisibly } from '../../contract/text/visible-json.ts';
import type { TraceSettings } from '../../contract/trace.ts';
import { withoutSecrets } from '../../ground/secrets/without-secrets.ts';
import { asRoot, isRoot } from '../common/as-root.ts';
import { ownProgram, type Started } from '../common/own-command.ts';
import { versionOf } from '../common/version.ts';
import { settingsAtStart, settingsIn, unnamedFolderNote } from './working-folder.ts';

type Options = Readonly<Record<string, unknown>>;

/** Where a client started its server: in this process, or in one that passes its streams on to us. */
export interface ClientPlace {
  readonly flags: Flags;
  readonly options: Options;
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
  /** How its program was started, if that is not this process. */
  readonly started?: Started | undefined;
  /** Writes a line to the server's log, which clients keep or show. */
  readonly tell: (words: string) => void;
  /** Opens the checkpoint for these settings; the session closes it. */
  readonly open: (settings: Settings) => Promise<Checkpoint>;
}

type Streams = Pick<StdioServing, 'input' | 'output' | 'signal' | 'held'>;

/** Serves one client over its streams. Throws if its settings cannot work. */
export async function serveClient(place: ClientPlace, settings: Settings, streams: Streams) {
  const { flags, environment, tell } = place;
  const say = (words: Text) => tell(words[settings.locale]);
  noteAtStart(settings, place);
  const checkpoint = await place.open(settings);
  const served = await serveStdio(checkpoint, {
    ...streams,
    bearer: environment.SEKISHO_TOKEN,
    // A folder that a person chose stays, wherever the client works.
    choose: settings.startedIn === undefined ? undefined : choose,
    onFault: faultTeller(tell),
  }).catch(async (error: unknown) => {
    await checkpoint.close();
    throw error;
  });
  noteStanding(say);
  const unnamed = unnamedFolderNote(settings, place.started);
  if (unnamed) say(unnamed);
  // Runs beside the first calls, so that serving does not wait for the rules to be checked.
  warnOfRules(checkpoint, tell).catch(faultTeller(tell));
  return served;

  /** Opens the project that the client reports, and tells the person which one. */
  async function choose(
    folders: readonly string[],
    { settings: present }: Checkpoint,
  ): Promise<Checkpoint | undefined> {
    const next = settingsIn(folders, flags, present, environment);
    if (!next) return undefined;
    const [from, to] = [present, next].map(({ roots }) => roots.map(({ path }) => path).join(', '));
    say(
      text(
        `The client works in ${to}, so that is served in place of ${from}.`,
        `クライアントの作業フォルダーに合わせ、${from} に代えて ${to} を提供します。`,
      ),
    );
    return place.open(next);
  }
}

/** The settings of a client that was started there. */
export function settingsOfClient({ flags, cwd, environment }: ClientPlace): Settings {
  return settingsAtStart(flags, cwd, environment);
}

export function openServed(settings: Settings, place: Omit<ClientPlace, 'open'>): Promise<Checkpoint> {
  const { options, environment, started, tell } = place;
  return openCheckpoint(settings, {
    version: versionOf(),
    program: ownProgram(started),
    localRole: options.as as string | undefined,
    environment,
    trace: wantedTraces(environment, (words) => tell(words[settings.locale])),
    onFault: faultTeller(tell),
  });
}

/** Says what a person should know before anything is served. */
export function noteAtStart(
  settings: Settings,
  { flags, environment, cwd, tell }: Omit<ClientPlace, 'open'>,
): void {
  if (settings.process.sandbox === 'off') tell(sandboxIsOff[settings.locale]);
  const unread = unreadEnvFile(flags, environment, cwd);
  if (unread) tell(unread[settings.locale]);
}

/** Warns of root once the server runs, so that a failed start reports only its reason. */
export function noteStanding(say: (words: Text) => void): void {
  if (isRoot()) say(text(`Warning: ${asRoot.en}.`, `警告: ${asRoot.ja}。`));
}

export async function warnOfRules(checkpoint: Checkpoint, tell: (words: string) => void): Promise<void> {
  const { rules, locale } = checkpoint.settings;
  // The check loads the judge of commands, for which the first list would wait.
  if (!rules.some(({ tool }) => tool !== undefined)) return;
  const { ruleWarningLines } = await import('./rule-warnings.ts');
  for (const line of ruleWarningLines(await (await checkpoint.policy()).warnings(), locale)) tell(line);
}

/** The variables are often set for the whole machine: if they are invalid, the server runs without traces. */
function wantedTraces(environment: NodeJS.ProcessEnv, say: (words: Text) => void): TraceSettings | undefined {
  try {
    return tracesOf(environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    say(
      text(
        `Warning: calls are not traced: ${error.text.en}`,
        `警告: 呼び出しのトレースを送りません: ${error.text.ja}`,
      ),
    );
    return undefined;
  }
}

/** Tells of a failure in one line of JSON; stdout belongs to the protocol. */
export function faultTeller(tell: (words: string) => void): (error: unknown) => void {
  return (error) => {
    const words = error instanceof Error ? withCauses(error) : String(error);
    tell(
      encodeVisibly({
        time: new Date().toISOString(),
        level: 'error',
        message: withoutSecrets(words.slice(0, 4000)).slice(0, 2000),
      }),
    );
  };
}

/** The stack, and the cause behind the message that a caller got. */
function withCauses({ stack, message, cause }: Error): string {
  return [stack ?? message, cause instanceof Error ? `Cause: ${cause.message}` : ''].join('\n').trim();
}

const sandboxIsOff = text(
  'Warning: the sandbox is off. Commands can do everything that you can; only the rules can stop them.',
  '警告: サンドボックスが無効です。コマンドはあなたと同じことをすべて実行でき、止められるのはルールだけです。',
);
