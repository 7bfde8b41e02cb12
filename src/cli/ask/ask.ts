import type { Readable, Writable } from 'node:stream';
import type { Asked } from '../../ask/loop.ts';
import { openCheckpoint } from '../../checkpoint/index.ts';
import { loadSettings } from '../../config/load.ts';
import type { Flags } from '../../config/settings.ts';
import type { ErrorCode } from '../../contract/error.ts';
import { type Locale, text } from '../../contract/text/text.ts';
import { defer } from '../../ground/waiting/defer.ts';
import { noteUnreadEnvFile } from '../common/note-unread.ts';
import type { Options } from '../common/options.ts';
import { ownProgram } from '../common/own-command.ts';
import { versionOf } from '../common/version.ts';
import { openConversation } from './conversation.ts';
import { type Lines, openLines } from './lines.ts';
import { chooseModel } from './model.ts';
import { withPatience } from './patience.ts';
import { createAskPerson } from './person.ts';
import { openSession } from './sessions.ts';
import { talk } from './talk.ts';
import { createEventView, createTextView } from './view.ts';

/** The environment of the command; a test brings its own. */
export interface AskWorld {
  readonly environment: NodeJS.ProcessEnv;
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable;
  readonly beside: Writable;
  readonly cwd?: string | undefined;
  readonly retryDelaysMs?: readonly number[] | undefined;
  readonly now?: (() => number) | undefined;
  /** Registers the handlers of Ctrl-C and of a request to end; returns a function that removes them. */
  onSignals(interrupt: () => void, stop: () => void): () => void;
}

/** Asks one question, or runs an interactive session if none is given. Returns the exit code. */
export async function askModel(
  words: readonly string[],
  flags: Flags,
  options: Options,
  world: AskWorld = processWorld(),
): Promise<number> {
  const { environment, input, beside } = world;
  const isTerminal = input.isTTY === true;
  const headless = Boolean(options.headless);
  const loaded = loadSettings(flags, environment, world.cwd, 'ask');
  const settings = isTerminal && !headless ? withPatience(loaded) : loaded;
  noteUnreadEnvFile(flags, settings.locale);
  const session =
    options.session === undefined ? undefined : openSession(settings.stateFolder, String(options.session));
  const flag = options.model === undefined ? undefined : String(options.model);
  let opened: Lines | undefined;
  const interrupts = createInterrupts(() => opened, settings.locale);

  function lines(): Lines {
    opened ??= openLines({ input, output: beside, isTerminal, onInterrupt: interrupts.interrupt });
    if (interrupts.hasStopped) opened.close();
    return opened;
  }

  const forget = world.onSignals(interrupts.interrupt, interrupts.stop);
  let close: () => Promise<void> = async () => session?.close();
  try {
    const choose = (name: string | undefined) =>
      chooseModel({
        models: settings.models,
        wanted: [name ?? flag, session?.saved.model, settings.ask.model],
        environment,
      });
    const endpoint = choose(undefined);
    const checkpoint = await openCheckpoint(settings, { version: versionOf(), program: ownProgram() });
    const withReasoning = Boolean(options.showReasoning);
    const view = options.eventOutput
      ? createEventView(world.output, withReasoning)
      : createTextView(world.output, beside, settings.locale, withReasoning);
    const conversation = openConversation({
      checkpoint,
      endpoint,
      session,
      view,
      headless,
      askPerson: isTerminal ? createAskPerson(lines, beside, settings.locale) : undefined,
      retryDelaysMs: world.retryDelaysMs,
      now: world.now,
    });
    close = async () => {
      await conversation.close();
      await checkpoint.close();
    };
    view.show({
      type: 'start',
      model: `${endpoint.modelId} (${new URL(endpoint.url).host})`,
      ...(options.session !== undefined && { session: String(options.session) }),
    });

    const askOnce = (question: string) =>
      interrupts.during(async (signal) => exitCodeOf(await conversation.ask(question, signal)));
    const question = words.join(' ').trim();
    if (question !== '') return await askOnce(question);
    return await talk({
      conversation,
      lines: lines(),
      output: beside,
      locale: settings.locale,
      ask: askOnce,
      useModel: (name) => conversation.useModel(choose(name)),
      modelNames: () => Object.keys(settings.models),
    });
  } finally {
    forget();
    opened?.close();
    await close();
  }
}

/** 0 answered, 1 not, 2 if the model's server refuses us, 3 if it cannot be reached. */
function exitCodeOf({ reason, error }: Pick<Asked, 'reason' | 'error'>): number {
  if (reason === 'answered') return 0;
  return (error && codes.get(error.code)) ?? 1;
}

const codes = new Map<ErrorCode, number>([
  ['unauthenticated', 2],
  ['unavailable', 3],
]);

function processWorld(): AskWorld {
  return {
    environment: process.env,
    input: process.stdin,
    output: process.stdout,
    beside: process.stderr,
    onSignals(interrupt, stop) {
      let told = 0;
      const heard = (signal: NodeJS.Signals) => {
        told += 1;
        // The third signal ends the process, whatever still runs.
        if (told > 2) process.exit(3);
        if (signal === 'SIGINT') interrupt();
        else stop();
      };
      const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
      for (const name of names) process.on(name, heard);
      // Without a reader, the answer is not worth the work.
      process.stdout.once('error', stop);
      return () => {
        for (const name of names) process.off(name, heard);
        process.stdout.off('error', stop);
      };
    },
  };
}

function createInterrupts(lines: () => Lines | undefined, locale: Locale) {
  let running: AbortController | undefined;
  let hasWarned = false;
  let hasStopped = false;

  /** Cancels the running question, and reads no further one. */
  function stop(): void {
    hasStopped = true;
    running?.abort();
    lines()?.close();
  }

  return {
    /** Cancels the running question; without one, clears the typed text, else says how to leave, then leaves. */
    interrupt() {
      const open = lines();
      if (running && !running.signal.aborted) running.abort();
      else if (!running && open?.clear()) hasWarned = false;
      else if (running || hasWarned || !open) stop();
      else {
        hasWarned = true;
        open.remark(howToLeave[locale]);
      }
    },
    stop,
    get hasStopped(): boolean {
      return hasStopped;
    },
    /** Does work that an interrupt cancels. */
    async during<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      running = new AbortController();
      hasWarned = false;
      if (hasStopped) running.abort();
      using _ = defer(() => (running = undefined));
      return await work(running.signal);
    },
  };
}

const howToLeave = text(
  'Press Ctrl-C again or Ctrl-D, or type /exit, to quit.',
  'もう一度 Ctrl-C、または Ctrl-D か /exit で終了します。',
);
