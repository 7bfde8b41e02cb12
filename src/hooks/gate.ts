import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Answer, Reply, ToolOutput } from '../contract/call.ts';
import { type ErrorCode, ToolError } from '../contract/error.ts';
import type { Gateway } from '../contract/gateway.ts';
import { limits } from '../contract/limits.ts';
import type { Native, Witness } from '../contract/native.ts';
import { type Locale, text } from '../contract/text/text.ts';
import { cancelled } from '../ground/errors/cancelled.ts';
import { deferred } from '../ground/waiting/defer.ts';
import type { Fields, HookAnswer, HookEvent, NativeCall, Use } from './event.ts';

export interface GateOptions {
  readonly gateway: Gateway;
  readonly native: Native;
  /** The command by which a client has us run the permitted command. */
  readonly runBy: (permit: string, command: string) => string;
}

export interface Client {
  readonly name: string;
  readonly version: string;
}

type Before = Extract<HookEvent, { kind: 'before' }>;

/** A client's request to run exactly the permitted command, in the folder that it announced. */
export interface RunRequest {
  readonly permit: string;
  readonly command: string;
  readonly folder: string;
}

interface Prepared {
  readonly seen?: Witness;
  readonly folder?: string;
}

/** A call whose tool has not ended. */
interface OpenCall {
  readonly session: string;
  readonly use: string;
  readonly permit: string;
  /** The use as the client may ask its person about it. */
  readonly asked: Use;
  readonly native: Exclude<NativeCall, { does: 'unknown' }>;
  /** The folder in which its command begins. */
  readonly folder: string | undefined;
  readonly verdict: Promise<HookAnswer>;
  readonly reply: Promise<Reply>;
  /** The client's tool has ended, or the client has us run its command, with any approval that it needed. */
  readonly came: (outcome: ToolOutput | 'ours') => void;
  readonly isTaken: () => boolean;
  /** The client's tool did not run, or was not approved. */
  readonly withdraw: () => void;
  readonly end: AbortController;
}

/** Judges uses of clients' own tools as calls; each call stays open until its tool has ended. */
export class Gate {
  readonly #options: GateOptions;
  readonly #open = new Set<OpenCall>();
  readonly #sessions = new Map<string, Parameters<Gateway['leave']>[0]>();
  /** Uses of tools whose call has not ended, with the answer to each. */
  readonly #uses = new Map<string, Promise<HookAnswer>>();

  constructor(options: GateOptions) {
    this.#options = options;
  }

  async before(event: Before, client: Client): Promise<HookAnswer> {
    if (event.calls.length === 0) return { kind: 'nothing' };
    const unknown = event.calls.find((each) => each.does === 'unknown');
    if (unknown) return notKnown(unknown.name, event.asks, this.#options.gateway.locale);
    const use = JSON.stringify([event.session, event.use]);
    const told = this.#uses.get(use);
    if (told) return event.again ? told : { kind: 'deny', words: words.twice[this.#options.gateway.locale] };
    const answer = this.#decide(event, client, () => this.#uses.delete(use));
    this.#uses.set(use, answer);
    return answer;
  }

  /** Allows what was already permitted, so that the person is not asked twice; the client asks about the rest. */
  async review({ session, asked }: Extract<HookEvent, { kind: 'approval' }>): Promise<HookAnswer> {
    const calls = this.#of(session).filter((each) => isDeepStrictEqual(each.asked, asked) && !each.isTaken());
    const verdicts = await Promise.all(calls.map(({ verdict }) => verdict));
    const isLetThrough = verdicts.length > 0 && verdicts.every(({ kind }) => kind === 'allow');
    return { kind: isLetThrough ? 'allow' : 'nothing' };
  }

  /** Takes the client's other events. */
  async tell(event: Exclude<HookEvent, { kind: 'before' | 'approval' }>): Promise<void> {
    if (event.kind === 'after') {
      const calls = this.#of(event.session, event.use).filter(({ native }) => native.does === 'write');
      for (const each of calls)
        each.came(event.failure === undefined ? nothingToShow : failed(event.failure));
      await Promise.all(calls.map(({ reply }) => reply));
      return;
    }
    const { native, gateway } = this.#options;
    if (event.kind === 'turn-over' && event.said !== undefined) native.hear(event.session, event.said);
    if (event.kind === 'session-over') native.forget(event.session);
    const calls = this.#of(event.session).filter((each) => !each.isTaken());
    for (const each of calls) each.withdraw();
    await Promise.allSettled(calls.map(({ reply }) => reply));
    const arrival = this.#sessions.get(event.session);
    if (event.kind !== 'session-over' || !arrival) return;
    this.#sessions.delete(event.session);
    await gateway.leave(arrival);
  }

  /** Runs a permitted command, once, inside the sandbox; undefined if the permit does not fit. */
  async run({ permit, command, folder }: RunRequest, signal: AbortSignal): Promise<Reply | undefined> {
    const found = [...this.#open].find((each) => each.permit === permit);
    if (found?.native.does !== 'command' || found.native.command !== command) return undefined;
    const begins = await this.#options.native.findFolder(folder).catch(() => undefined);
    // `isTaken()` comes after the last await, so that only one of two concurrent requests succeeds.
    if (begins === undefined || begins !== found.folder || found.isTaken()) return undefined;
    if (signal.aborted) found.end.abort();
    signal.addEventListener('abort', () => found.end.abort(), { once: true });
    found.came('ours');
    return found.reply;
  }

  /** The number of calls that have not ended. */
  openCalls(): number {
    return this.#open.size;
  }

  /** Saves the old content (write) or resolves the folder (command) before the client's tool runs. */
  async #prepare(native: OpenCall['native'], { session, folder }: Before): Promise<Prepared> {
    if (native.does === 'write') return { seen: await this.#options.native.witness(native.path) };
    if (isPage(native)) await this.#options.native.checkAddress(String(native.input.url));
    if (native.does !== 'command') return {};
    const found = await this.#options.native.findFolder(native.folder ?? folder);
    await this.#options.native.beginIn(session, found);
    return { folder: found };
  }

  async #begin(native: OpenCall['native'], event: Before, client: Client): Promise<OpenCall> {
    const { session, use, asks } = event;
    const { gateway, runBy } = this.#options;
    const verdict = Promise.withResolvers<HookAnswer>();
    const coming = Promise.withResolvers<ToolOutput | 'ours'>();
    const end = new AbortController();
    // Handled by those who await it; a refused call awaits neither promise.
    coming.promise.catch(() => {});
    const permit = randomBytes(16).toString('hex');
    const own = native.does === 'command' ? runBy(permit, native.command) : undefined;
    // Prepare before asking: the client acts as soon as the person agrees.
    const prepared = this.#prepare(native, event);
    const problem = await prepared.then(() => undefined, asToolError);
    let isTaken = false;
    let isAsked = false;

    async function elicit({ message }: { readonly message: string }): Promise<Answer> {
      if (problem) verdict.resolve({ kind: 'deny', words: wordsOf(problem, gateway.locale) });
      if (problem) return { action: 'cancel' };
      isAsked = true;
      verdict.resolve({ kind: 'ask', words: message, command: own });
      return coming.promise.then(
        () => ({ action: 'accept' }),
        () => ({ action: 'cancel' }),
      );
    }

    async function carry(ours: () => Promise<ToolOutput>, signal: AbortSignal): Promise<ToolOutput> {
      const read = native.does === 'read' ? await ours().catch(passOver) : nothingToShow;
      const { seen } = await prepared;
      const stale =
        native.does === 'write' && native.tool === 'write_file' ? await seen?.assertFresh() : undefined;
      // A host name's address is unknown before the client resolves it, so a page is left to the client's own person.
      verdict.resolve(
        isPage(native) ? { kind: 'nothing' } : { kind: 'allow', command: own, told: stale?.[gateway.locale] },
      );
      if (native.does === 'read' || native.does === 'look') return read;
      const withdraw = () => coming.reject(cancelled());
      signal.addEventListener('abort', withdraw, { once: true });
      // The call may have been withdrawn while its contents were saved.
      if (signal.aborted) withdraw();
      await using _ = deferred(() => seen?.settle());
      const outcome = await coming.promise;
      return outcome === 'ours' ? await ours() : outcome;
    }

    const arrival = { transport: 'hook', connectionId: session, client } as const;
    this.#sessions.set(session, arrival);
    const call = native.does === 'command' ? { tool: 'bash', input: { command: native.command } } : native;
    const reply = gateway.call({
      tool: call.tool,
      input: call.input,
      arrival,
      signal: end.signal,
      carry,
      ...(asks && { elicit }),
      patienceMs: limits.approvalExpiryMs,
      replyBytes: limits.streamBytes,
    });
    const made: OpenCall = {
      session,
      use,
      permit,
      asked: asRun(event.asked, own),
      native,
      // A failed preparation is thrown when the call runs.
      folder: (await prepared.catch(() => undefined))?.folder,
      verdict: verdict.promise,
      reply,
      came(outcome) {
        isTaken = true;
        coming.resolve(outcome);
      },
      isTaken: () => isTaken,
      withdraw: () => (isAsked ? coming.reject(cancelled()) : end.abort()),
      end,
    };
    this.#open.add(made);
    const over = () => void this.#open.delete(made);
    reply.then((came) => {
      over();
      // Has no effect if the call ran: its verdict is already given.
      verdict.resolve({ kind: 'deny', words: came.kind === 'error' ? came.text : '' });
    }, over);
    reply.catch(verdict.reject);
    return made;
  }

  /** The calls of one use of a tool happen all or not at all. */
  async #decide(event: Before, client: Client, onEnd: () => void): Promise<HookAnswer> {
    const natives = event.calls.filter((each) => each.does !== 'unknown');
    const calls = await Promise.all(natives.map((native) => this.#begin(native, event, client)));
    void Promise.allSettled(calls.map(({ reply }) => reply)).then(onEnd);
    const answers = await Promise.all(calls.map(({ verdict }) => verdict));
    const worst =
      answers.find(({ kind }) => kind === 'deny') ?? answers.find(({ kind }) => kind === 'ask') ?? answers[0];
    if (worst?.kind === 'deny') for (const each of calls) each.end.abort();
    return worst ?? { kind: 'nothing' };
  }

  #of(session: string, use?: string): readonly OpenCall[] {
    const ofSession = [...this.#open].filter((each) => each.session === session);
    return ofSession.filter((each) => use === undefined || each.use === use);
  }
}

function isPage(
  native: OpenCall['native'],
): native is Extract<NativeCall, { does: 'look' }> & { readonly tool: 'web_fetch' } {
  return native.does === 'look' && native.tool === 'web_fetch';
}

/** The use as the client reports it with our command in place of the model's. */
function asRun({ tool, input }: Use, own: string | undefined): Use {
  return { tool, input: own === undefined ? input : { ...(input as Fields), command: own } };
}

/** Errors that only show that the client can do more than Sekisho, or that the file is missing: the client may try. */
const harmless = new Set<ErrorCode>([
  ...(['not_found', 'unsupported_type', 'unsupported_encoding', 'too_large', 'conflict'] as const),
  'invalid_parameter',
]);

function passOver(error: unknown): ToolOutput {
  if (error instanceof ToolError && harmless.has(error.code)) return nothingToShow;
  throw error;
}

function asToolError(error: unknown): ToolError {
  return error instanceof ToolError
    ? error
    : new ToolError('internal', 'The file could not be checked.', 'ファイルを確認できませんでした。', {
        cause: error,
      });
}

function wordsOf({ text: message, suggestion }: ToolError, locale: Locale): string {
  return suggestion ? `${message[locale]} ${suggestion[locale]}` : message[locale];
}

function notKnown(name: string, asks: boolean, locale: Locale): HookAnswer {
  return { kind: asks ? 'ask' : 'deny', words: words.unknown(name.slice(0, 80))[locale] };
}

const nothingToShow: ToolOutput = { content: () => [] };

function failed(failure: string): ToolOutput {
  return { isError: true, content: () => [{ type: 'text', text: failure }] };
}

const words = {
  twice: text('This use of a tool has already been reported.', 'このツールの使用は、既に報告されています。'),
  unknown: (name: string) =>
    text(
      `This version of Sekisho does not know the tool ${JSON.stringify(name)}, or not with these arguments.`,
      `このバージョンの Sekisho は、ツール ${JSON.stringify(name)} またはその引数に対応していません。`,
    ),
} as const;
