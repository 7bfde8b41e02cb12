import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Answer, Reply, ToolOutput } from '../contract/call.ts';
import { type ErrorCode, ToolError } from '../contract/error.ts';
import type { Gateway } from '../contract/gateway.ts';
import { limits } from '../contract/limits.ts';
import { type Locale, text } from '../contract/text/text.ts';
import { cancelled } from '../ground/errors/cancelled.ts';
import type { Fields, HookAnswer, HookEvent, NativeCall, Use } from './event.ts';

export interface GateOptions {
  readonly gateway: Gateway;
  readonly native: Native;
  /** The command by which a client has us run what this permit is for. */
  readonly runBy: (permit: string, command: string) => string;
}

/** What the tools of a client need beside the road. */
interface Native {
  /** Looks at a file before somebody else changes it; throws what a write of ours would be refused with. */
  witness(path: string): Promise<Witness>;
  /** Throws what a fetch of ours would be refused with, as far as the address itself shows it. */
  checkAddress(url: string): Promise<void>;
  /** The folder in which a client's command begins; throws where none may. */
  findFolder(folder: string): Promise<string>;
  /** Has the session's commands begin there. */
  beginIn(session: string, found: string): Promise<void>;
  /** Keeps what the person wrote to the client, for the calls that its servers get. */
  hear(session: string, words: string): void;
  /** The session is over, and with it what was said in it. */
  forget(session: string): void;
}

interface Witness {
  settle(): Promise<void>;
}

/** Where the uses of clients' own tools meet the road; each is a call that stays open until its tool has ended. */
export interface Gate {
  before(event: Before, client: Client): Promise<HookAnswer>;
  /** Allows what was let through already, so that nobody is asked twice; about the rest the client asks its person. */
  review(event: Extract<HookEvent, { kind: 'approval' }>): Promise<HookAnswer>;
  /** What else a client tells. */
  tell(event: Exclude<HookEvent, { kind: 'before' | 'approval' }>): Promise<void>;
  /** Runs what a permit is for, once, inside our walls; undefined where it is for nothing like this. */
  run(asked: RunRequest, signal: AbortSignal): Promise<Reply | undefined>;
  /** Calls that have not ended. */
  openCalls(): number;
}

export interface Client {
  readonly name: string;
  readonly version: string;
}

type Before = Extract<HookEvent, { kind: 'before' }>;

/** What a client has us run: exactly what was let through, from where it was said to begin. */
export interface RunRequest {
  readonly permit: string;
  readonly command: string;
  readonly folder: string;
}

interface Prepared {
  readonly seen?: Witness;
  readonly folder?: string;
}

/** One call on its way. */
interface OpenCall {
  readonly session: string;
  readonly use: string;
  readonly permit: string;
  /** What the client asks its person about, if it asks about this. */
  readonly asked: Use | undefined;
  readonly native: Exclude<NativeCall, { does: 'unknown' }>;
  /** Where its command begins. */
  readonly folder: string | undefined;
  readonly verdict: Promise<HookAnswer>;
  readonly reply: Promise<Reply>;
  /** The client's tool has ended, or the client has us run its command: with a person's yes, if one was asked. */
  readonly came: (outcome: ToolOutput | 'ours') => void;
  readonly isTaken: () => boolean;
  /** The client's tool did not run, or nobody said yes to it. */
  readonly withdraw: () => void;
  readonly end: AbortController;
}

export function createGate({ gateway, native: lent, runBy }: GateOptions): Gate {
  const open = new Set<OpenCall>();
  const sessions = new Map<string, Parameters<Gateway['leave']>[0]>();
  /** Uses of tools with a call that has not ended, with what was answered to each. */
  const uses = new Map<string, Promise<HookAnswer>>();
  const { locale } = gateway;

  /** What must be so before the client's tool runs, whoever says yes to it. */
  async function prepare(native: OpenCall['native'], { session, folder }: Before): Promise<Prepared> {
    if (native.does === 'write') return { seen: await lent.witness(native.path) };
    if (isPage(native)) await lent.checkAddress(String(native.input.url));
    if (native.does !== 'command') return {};
    const found = await lent.findFolder(native.folder ?? folder);
    await lent.beginIn(session, found);
    return { folder: found };
  }

  async function begin(native: OpenCall['native'], event: Before, client: Client): Promise<OpenCall> {
    const { session, use, asks } = event;
    const verdict = Promise.withResolvers<HookAnswer>();
    const coming = Promise.withResolvers<ToolOutput | 'ours'>();
    const end = new AbortController();
    // Looked at where it is waited for; a call that is refused waits for neither.
    coming.promise.catch(() => {});
    const permit = randomBytes(16).toString('hex');
    const own = native.does === 'command' ? runBy(permit, native.command) : undefined;
    // Before anybody is asked: a client whose person says yes acts at once.
    const prepared = prepare(native, event);
    const problem = await prepared.then(() => undefined, asToolError);
    let isTaken = false;
    let isAsked = false;

    async function elicit({ message }: { readonly message: string }): Promise<Answer> {
      if (problem) verdict.resolve({ kind: 'deny', words: wordsOf(problem, locale) });
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
      // Where a name leads is not known before the client asks for it, so a page is left to its own person.
      verdict.resolve(isPage(native) ? { kind: 'nothing' } : { kind: 'allow', command: own });
      if (native.does === 'read' || native.does === 'look') return read;
      const withdraw = () => coming.reject(cancelled());
      signal.addEventListener('abort', withdraw, { once: true });
      // It may have been withdrawn while its contents were kept.
      if (signal.aborted) withdraw();
      try {
        const outcome = await coming.promise;
        return outcome === 'ours' ? await ours() : outcome;
      } finally {
        await seen?.settle();
      }
    }

    const arrival = { transport: 'hook', connectionId: session, client } as const;
    sessions.set(session, arrival);
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
      asked: event.asked && asRun(event.asked, own),
      native,
      // What could not be prepared is thrown where the call comes to its run.
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
    open.add(made);
    const over = () => void open.delete(made);
    reply.then((came) => {
      over();
      // Where the call came to its run, it was said already.
      verdict.resolve({ kind: 'deny', words: came.kind === 'error' ? came.text : '' });
    }, over);
    reply.catch(verdict.reject);
    return made;
  }

  /** What is one use of a tool to the client happens whole or not at all. */
  async function decide(event: Before, client: Client, onEnd: () => void): Promise<HookAnswer> {
    const natives = event.calls.filter((each) => each.does !== 'unknown');
    const calls = await Promise.all(natives.map((native) => begin(native, event, client)));
    void Promise.allSettled(calls.map(({ reply }) => reply)).then(onEnd);
    const answers = await Promise.all(calls.map(({ verdict }) => verdict));
    const worst =
      answers.find(({ kind }) => kind === 'deny') ?? answers.find(({ kind }) => kind === 'ask') ?? answers[0];
    if (worst?.kind === 'deny') for (const each of calls) each.end.abort();
    return worst ?? { kind: 'nothing' };
  }

  const of = (session: string, use?: string) =>
    [...open].filter((each) => each.session === session && (use === undefined || each.use === use));

  return {
    async before(event, client) {
      if (event.calls.length === 0) return { kind: 'nothing' };
      const unknown = event.calls.find((each) => each.does === 'unknown');
      if (unknown) return notKnown(unknown.name, event.asks, locale);
      const use = JSON.stringify([event.session, event.use]);
      const told = uses.get(use);
      if (told) return event.again ? told : { kind: 'deny', words: words.twice[locale] };
      const answer = decide(event, client, () => uses.delete(use));
      uses.set(use, answer);
      return answer;
    },

    async review({ session, asked }) {
      const calls = of(session).filter((each) => isDeepStrictEqual(each.asked, asked) && !each.isTaken());
      const verdicts = await Promise.all(calls.map(({ verdict }) => verdict));
      const isLetThrough = verdicts.length > 0 && verdicts.every(({ kind }) => kind === 'allow');
      return { kind: isLetThrough ? 'allow' : 'nothing' };
    },

    async tell(event) {
      if (event.kind === 'after') {
        const calls = of(event.session, event.use).filter(({ native }) => native.does === 'write');
        for (const each of calls)
          each.came(event.failure === undefined ? nothingToShow : failed(event.failure));
        await Promise.all(calls.map(({ reply }) => reply));
        return;
      }
      if (event.kind === 'turn-over' && event.said !== undefined) lent.hear(event.session, event.said);
      if (event.kind === 'session-over') lent.forget(event.session);
      const calls = of(event.session).filter((each) => !each.isTaken());
      for (const each of calls) each.withdraw();
      await Promise.allSettled(calls.map(({ reply }) => reply));
      const arrival = sessions.get(event.session);
      if (event.kind !== 'session-over' || !arrival) return;
      sessions.delete(event.session);
      await gateway.leave(arrival);
    },

    async run({ permit, command, folder }, signal) {
      const found = [...open].find((each) => each.permit === permit);
      if (found?.native.does !== 'command' || found.native.command !== command) return undefined;
      const begins = await lent.findFolder(folder).catch(() => undefined);
      // Asked for last, so that of two who come at once one is too late.
      if (begins === undefined || begins !== found.folder || found.isTaken()) return undefined;
      if (signal.aborted) found.end.abort();
      signal.addEventListener('abort', () => found.end.abort(), { once: true });
      found.came('ours');
      return found.reply;
    },

    openCalls: () => open.size,
  };
}

function isPage(
  native: OpenCall['native'],
): native is Extract<NativeCall, { does: 'look' }> & { readonly tool: 'web_fetch' } {
  return native.does === 'look' && native.tool === 'web_fetch';
}

/** As the client tells of it once it has our command in place of the model's. */
function asRun({ tool, input }: Use, own: string | undefined): Use {
  return { tool, input: own === undefined ? input : { ...(input as Fields), command: own } };
}

/** What only shows that the client can do more than we, or that nothing is there: no reason to keep it from trying. */
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
    : new ToolError('internal', text('The file could not be checked.', 'ファイルを確認できませんでした。'), {
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
