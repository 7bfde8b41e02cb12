import { join } from 'node:path';
import type { CommandLife } from '../../contract/capabilities/command-life.ts';
import type { RemoteChanges } from '../../contract/capabilities/judgement.ts';
import type { CommandLine, NetworkContact } from '../../contract/capabilities/process.ts';
import { ToolError } from '../../contract/error.ts';
import { limits } from '../../contract/limits.ts';
import { text } from '../../contract/text/text.ts';
import { type ConfigCopies, openConfigCopies } from '../../git/config-copies.ts';
import { obeyedNames } from '../../ground/obeyed/obeyed-names.ts';
import type { Ask } from '../../network/edge/gate.ts';
import { type CommandOptions, type CommandsOptions, commandText } from '../commands-options.ts';
import { openMakers } from '../layer/obeyed/makers.ts';
import type { Layer } from '../layer/open.ts';
import { withoutRetries } from '../output/cut-off.ts';
import { Lines } from '../output/lines.ts';
import { defaultProcessLimits } from '../prelude.ts';
import { buildEnvironment } from '../sandbox/environment.ts';
import { foldersOnTheWay, writableRepositories } from '../sandbox/guarded-names.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Walls } from '../sandbox/walls.ts';
import { watchCommits } from '../session/git-notes.ts';
import type { Beginning } from '../session/kept.ts';
import type { Recorder } from '../session/recorder.ts';
import type { Place, Runner } from '../session/session.ts';
import { openTrial, Trial } from '../session/trial.ts';
import { fetchesOnly } from '../session/why-direct.ts';
import { Holding, type HoldingOptions } from '../watched/holding.ts';
import type { RecordingOptions } from '../watched/recording.ts';
import type { Child, Spawner } from './child.ts';
import { ownsPort, socketsOf } from './owns-port.ts';

/** A running command, with its initial state. */
export interface StartedCommand extends Beginning {
  readonly child: Child;
  readonly contacts: () => readonly NetworkContact[];
  /** After the end: settings that it wrote and that do not take effect. */
  readonly unsettled: readonly string[];
  /** May it have changed anything outside its roots, so that a second run would do that twice? */
  readonly wroteOutside: () => boolean;
  /** After the end: commits that it made unlike the person's settings. Those on a layer are reported when it lands. */
  readonly commitNotes: () => readonly string[];
  /** Tells, now and later, what of it is published. */
  readonly published: Lines;
  /** Its layer, if it runs on one. */
  readonly trial: Trial | undefined;
}

/** Starts a command in the sandbox, with its environment, folders and network access. Throws `unavailable`. */
export async function startCommand(
  sandbox: Sandbox,
  walls: Walls,
  { spawner, outlet: shared }: Place,
  command: CommandLine,
  runOptions: CommandOptions,
  recorder: Recorder,
  runner: Pick<Runner, 'options' | 'session' | 'life' | 'publisher' | 'onStart'>,
  stdin: 'null' | 'pipe',
): Promise<StartedCommand> {
  assertCommand(command);
  const { options, session, life } = runner;
  const proxy = reachesHosts(walls, options, command) ? walls.proxy : undefined;
  const roots = sandbox.roots();
  const outlet = shared ? undefined : proxy?.openOutlet();
  const contacts = contactsOf(shared, outlet);
  const workingFolder = roots.folder(runOptions.workingFolder);
  // A caller who may write only a part of the roots must not leave files for callers who use all of them.
  const caches = runOptions.reach === undefined ? walls.caches : undefined;
  const environment =
    runOptions.outside ??
    environmentOf(walls, spawner, options, { caches, proxy, given: runOptions.environment });
  const writable = runOptions.reach?.writable.map((folder) => roots.writableFolder(folder)) ?? roots.writable;
  const repositories = writableRepositories(roots.all, writable);
  const agreed = options.remoteChanges?.(command);
  const settings = await copiesFor(spawner, repositories, workingFolder, agreed);
  const layer = await layerFor(walls, recorder, writable);
  const beganAtMs = Date.now() - clockStepMs;
  const unsettled: string[] = [];
  const ended = new AbortController();
  let started: Child | undefined;
  const detach = (shared ?? outlet)?.attend({
    ask: askAbout(recorder, life, ended.signal),
    isFrom: (port) => ownsPort(started?.members() ?? [], port),
    leaked: (leak) => life?.judge.leaked?.(leak),
    services: recorder.kind === 'dry-run' ? new Set() : session.services,
  });
  let isPutBack = false;
  const watching = watch(recorder, runner, {
    roots: writable,
    ended: ended.signal,
    isFetched: () => contacts().length > 0 && fetchesOnly(command),
    end() {
      isPutBack = true;
      ended.abort();
      started?.destroy();
    },
    tell: (line) => unsettled.push(line),
  });
  const guarded = layer ? [] : foldersOnTheWay(roots.all, { workingFolder, writable });
  const commitNotes = watchCommits(guarded, walls.git, Date.now());
  runner.onStart();
  const starting = spawner.spawn({
    command,
    limits: { ...defaultProcessLimits, ...options.limits },
    workingFolder,
    environment,
    writable,
    settings,
    overlays: layer?.overlays,
    watched: watching?.recording,
    covered: runOptions.reach?.covered?.map((folder) => roots.folder(folder)),
    caches: caches !== undefined,
    stdin,
    reports: runOptions.inSession === true && command.kind === 'script' && stdin === 'null',
    outlet,
  });
  const release = caches?.use();
  try {
    started = await starting;
  } catch (cause) {
    release?.();
    detach?.();
    await settings?.discard();
    await layer?.close();
    throw new ToolError(
      'unavailable',
      'The command could not be started.',
      'コマンドを開始できませんでした。',
      {
        suggestion: text('Try again when fewer are running.', '実行中のものが減ってから試してください。'),
        cause,
      },
    );
  }
  const child = abortedBy(ended, started);
  const published = new Lines();
  if (recorder.kind !== 'dry-run' && child.openInside)
    void runner.publisher
      ?.follow(
        {
          session: session.publishing,
          words: commandText(command),
          open: child.openInside,
          sockets: () => socketsOf(child.members()),
          ask: askAbout(recorder, life, ended.signal),
          ended: ended.signal,
        },
        (line) => published.add(line),
      )
      .catch(() => published.add('[published: no port any more, as what listens could not be read]\n'));
  const over = () => {
    ended.abort();
    detach?.();
    session.lost += watching?.holding.lost ?? 0;
    release?.();
  };
  void child.exited.then(over, over);
  const settle = (copies: ConfigCopies) => settleCopies(copies, isPutBack, unsettled, options);
  return {
    child: settings && !layer ? { ...child, exited: child.exited.finally(() => settle(settings)) } : child,
    unsettled,
    published,
    wroteOutside: () => spawner.changedSince?.(beganAtMs) ?? false,
    commitNotes,
    trial: layer && new Trial(layer, child, settings, recorder.kind === 'dry-run'),
    contacts,
    folder: workingFolder,
    environment,
  };
}

/** A room has one outlet: hosts reached while a command ran count as its own. */
function contactsOf(shared: Place['outlet'], own: Place['outlet']): StartedCommand['contacts'] {
  if (!shared) return () => own?.contacts() ?? [];
  const before = shared.contacts();
  return () => since(before, shared.contacts());
}

/** Destroying it ends its questions too. */
function abortedBy(ended: AbortController, child: Child): Child {
  const destroy = () => {
    ended.abort();
    child.destroy();
  };
  return { ...child, destroy };
}

async function settleCopies(
  copies: ConfigCopies,
  isPutBack: boolean,
  unsettled: string[],
  { onDisarmed }: CommandsOptions,
): Promise<void> {
  if (isPutBack) await copies.discard();
  else unsettled.push(...(await copies.settle()));
  // The caller may have disconnected.
  for (const line of unsettled) onDisarmed?.(line.trimEnd());
}

function environmentOf(
  walls: Walls,
  places: Spawner,
  options: CommandsOptions,
  {
    caches,
    proxy,
    given,
  }: Pick<Walls, 'caches' | 'proxy'> & { readonly given: CommandOptions['environment'] },
): Readonly<Record<string, string>> {
  const { toolchains } = walls;
  return buildEnvironment({
    server: options.serverEnvironment ?? process.env,
    allowed: options.environment ?? [],
    places,
    gitConfig: walls.gitConfig,
    gitSettings: proxy?.gitSettings,
    toolchains: caches
      ? { ...toolchains, variables: { ...toolchains.variables, ...caches.variables } }
      : toolchains,
    more: {
      ...((isCutOff(walls, options) || proxy !== walls.proxy) && withoutRetries(options.environment)),
      ...proxy?.environment,
      ...given,
    },
  });
}

/** How a command on the folders themselves is recorded and held; undefined if it is not watched. */
function watch(
  recorder: Recorder,
  { options, session }: Pick<Runner, 'options' | 'session'>,
  holding: Omit<HoldingOptions, 'session' | 'readOnlyNames' | 'makers'>,
): { readonly holding: Holding; readonly recording: RecordingOptions } | undefined {
  if (recorder.kind !== 'watched') return undefined;
  const { folder, ignore, mostBytes } = recorder.recording;
  const held = new Holding(recorder, {
    ...holding,
    session,
    readOnlyNames: options.readOnlyNames ?? obeyedNames,
    makers: openMakers(join(options.layers ?? folder, 'makers')),
  });
  const { first, mayLose, mayEnter, ends, protectedNames } = held;
  const asked = { first, mayLose, mayEnter, ends, protectedNames };
  return { holding: held, recording: { folder, ignore, mostBytes, roots: holding.roots, ...asked } };
}

/** How a held request of this command is decided. */
function askAbout({ kind }: Recorder, life: CommandLife | undefined, ended: AbortSignal): Ask {
  return async (held) => {
    if (kind === 'dry-run') return { isAllowed: false, because: notInDryRun };
    return life?.judge.askAboutRequest(held, ended) ?? { isAllowed: false, because: cannotAsk };
  };
}

const notInDryRun = text(
  'This is a dry run: requests that do more than read are not sent.',
  'ドライランのため、読み取り以外のリクエストは送信されません。',
);
const cannotAsk = text(
  'Nobody can be asked about a request of this command.',
  'このコマンドのリクエストについては、人に確認できません。',
);

/** File systems take times from a clock that advances in steps, so they may lag. */
const clockStepMs = 20;

async function layerFor(
  walls: Walls,
  { kind }: Recorder,
  writable: readonly string[],
): Promise<Layer | undefined> {
  if (kind === 'dry-run') return openTrial(walls, writable);
  return kind === 'layer' ? walls.backend.layers?.open(writable) : undefined;
}

/** Without copies the settings are read-only, or checked when the command ends. */
async function copiesFor(
  spawner: Spawner,
  repositories: readonly string[],
  workingFolder: string,
  agreed: RemoteChanges | undefined,
): Promise<ConfigCopies | undefined> {
  const copies = spawner.showsCopies && openConfigCopies(repositories, workingFolder, agreed);
  if (!copies || (await spawner.showsCopies?.())) return copies;
  await copies.settle();
  return undefined;
}

function since(before: readonly NetworkContact[], now: readonly NetworkContact[]): readonly NetworkContact[] {
  return now.flatMap((contact) => {
    const then = before.find(({ host, outcome }) => host === contact.host && outcome === contact.outcome);
    if (!then) return [contact];
    const times = contact.times - then.times;
    const requests = contact.requests?.filter((request) => !then.requests?.includes(request));
    const sentBytes = contact.sentBytes - then.sentBytes;
    const receivedBytes = contact.receivedBytes - then.receivedBytes;
    const isNew = times + sentBytes + receivedBytes > 0 || requests?.length;
    return isNew
      ? [
          {
            ...contact,
            times,
            sentBytes,
            receivedBytes,
            ...(requests?.length ? { requests } : { requests: undefined }),
          },
        ]
      : [];
  });
}

/** No host is listed, and the sandbox lets none through. */
export function isCutOff({ backend }: Walls, { network }: CommandsOptions): boolean {
  return backend.name !== 'none' && !network?.entries.length;
}

/** A command with unknown programs gets no network access. */
export function reachesHosts(walls: Walls, options: CommandsOptions, command: CommandLine): boolean {
  return walls.proxy === undefined || options.isRead?.(command) !== false;
}

/** Throws if execve would refuse the command, or it exceeds the limits. */
function assertCommand(command: CommandLine): void {
  const words = command.kind === 'script' ? [command.script] : [command.program, ...command.args];
  if (words.some((word) => word.includes('\0'))) {
    throw new ToolError(
      'invalid_parameter',
      'A command cannot contain NUL.',
      'コマンドに NUL は使えません。',
    );
  }
  const bytes = words.reduce((sum, word) => sum + Buffer.byteLength(word) + 1, 0);
  if (bytes > limits.commandBytes + 1 || words.length > limits.commandArguments + 1) {
    throw new ToolError(
      'too_large',
      `A command takes at most ${limits.commandBytes} bytes and ${limits.commandArguments} arguments.`,
      `コマンドは ${limits.commandBytes} バイト、引数 ${limits.commandArguments} 個までです。`,
      text('Write long input to a file first.', '長い入力は先にファイルに書いてください。'),
    );
  }
}
