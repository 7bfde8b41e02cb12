import type { Credentials } from '../call/identify.ts';
import { identify } from '../call/identify.ts';
import type { Ongoing } from '../call/ongoing.ts';
import { failureReply } from '../call/reply.ts';
import type { Suspended } from '../call/suspended.ts';
import type { Call, Reply } from '../contract/call.ts';
import { reachesMachine } from '../contract/capabilities/capabilities.ts';
import { ToolError } from '../contract/error.ts';
import type { Tool } from '../contract/tool/tool.ts';
import { cancelled } from '../ground/errors/cancelled.ts';
import { isShared } from '../store/target.ts';
import type { LiveCatalog } from './catalog.ts';
import type { Rooms } from './rooms.ts';

/**
 * Calls that another server of this store must answer: a question of a proxied server waits there, a call goes on there, or the
 * session's files and commands are there. They walk the whole road at that server, and are recorded by it.
 */
export interface Forwarding {
  /** What the other server replied; `undefined` where the call is ours. */
  reply(call: Call): Promise<Reply | undefined>;
  /** Others are told that this is here; resolves with how to let go of it. */
  hold(key: string): Promise<() => void>;
  /** The session has ended: it may begin anew anywhere. */
  leave(sessionId: string): void;
}

export interface ForwardingOptions {
  readonly rooms: Pick<Rooms, 'settings' | 'store'>;
  readonly credentials: Credentials;
  readonly suspended: Pick<Suspended, 'question'>;
  readonly ongoing: Pick<Ongoing, 'has'>;
  readonly catalog: LiveCatalog;
  /** Has a call walk the road here. */
  readonly walk: (call: Call) => Promise<Reply>;
}

/** A session whose files and commands are here. */
interface Pin {
  readonly letGo: () => void;
  readonly timer: NodeJS.Timeout;
  /** When the store last said that it is ours. */
  readonly heldAt: number;
}

export function createForwarding(options: ForwardingOptions): Forwarding {
  const { rooms, credentials, catalog, suspended, ongoing, walk } = options;
  const { storeUrl, http, locale } = rooms.settings;
  const relay = async () => (await rooms.store()).relay;
  // On SQLite all servers are on one machine, and clients over stdio have a server each.
  const hasOthers = isShared(storeUrl);
  /** Sessions whose files and commands are here. */
  const pinned = new Map<string, Pin>();

  async function carryOut(body: string, signal: AbortSignal): Promise<string> {
    // Sealed by a server of ours, which took it from a client as we would.
    const call = JSON.parse(body) as Omit<Call, 'signal'>;
    return JSON.stringify(await walk({ ...call, signal }));
  }

  async function forward(key: string, call: Call): Promise<Reply | undefined> {
    let { answer, formAnswer, questionState } = call;
    for (;;) {
      const body = JSON.stringify({ ...plain(call), answer, formAnswer, questionState });
      const told = await (await relay()).ask(key, body, call.signal);
      if (told === undefined) return undefined;
      const reply = JSON.parse(told) as Reply;
      if (reply.kind !== 'question' || call.canRetry) return reply;
      // This client answers while its call waits: it is asked here, and the call is sent again with what it said.
      const { question } = reply;
      questionState = question.state;
      formAnswer = question.form && (await call.form?.(question.form));
      answer = question.form ? undefined : await call.elicit?.(question);
    }
  }

  /** What the call is about, if another server holds that. */
  async function keyOf(call: Call): Promise<string | undefined> {
    const question = suspended.question(call);
    if (question) return question.isHere ? undefined : question.id;
    const kept = keptIdOf(call);
    if (kept !== undefined) return ongoing.has(kept) ? undefined : kept;
    return machineOf(call);
  }

  /** Where the session of this call works, if that is another server; from now on here, if it is none. */
  async function machineOf(call: Call): Promise<string | undefined> {
    const tool = (await catalog()).find(call.tool);
    const isTied = http.roots === 'own' ? reachesMachine : livesInProcess;
    if (!tool?.uses.some(isTied)) return undefined;
    const { caller } = await identify(call, credentials);
    if (caller.kind === 'anonymous') return undefined;
    const { sessionId } = caller;
    const known = pinned.get(sessionId);
    known?.timer.refresh();
    // A server that was frozen may have been taken for lost, and another have the session since.
    if (known && performance.now() - known.heldAt < surelyHeldMs) return undefined;
    const key = `machine ${sessionId}`;
    const letGo = await (await relay()).hold(key, carryOut);
    if (!letGo) {
      unpin(sessionId);
      return key;
    }
    const timer = known?.timer ?? setTimeout(unpin, idleMs, sessionId).unref();
    pinned.set(sessionId, { letGo, timer, heldAt: performance.now() });
    return undefined;
  }

  function unpin(sessionId: string): void {
    const known = pinned.get(sessionId);
    if (!known) return;
    clearTimeout(known.timer);
    pinned.delete(sessionId);
    known.letGo();
  }

  return {
    async reply(call) {
      if (!hasOthers || call.arrival.transport !== 'http') return undefined;
      try {
        const key = await keyOf(call);
        return key === undefined ? undefined : await forward(key, call);
      } catch (error) {
        const told = call.signal.aborted ? cancelled('call', error) : error;
        if (!(told instanceof ToolError)) throw error;
        return failureReply(told, '', locale);
      }
    },
    async hold(key) {
      if (!hasOthers) return () => {};
      return (await (await relay()).hold(key, carryOut)) ?? (() => {});
    },
    leave: unpin,
  };
}

/**
 * What lives in one process even where all servers have the same files: folders, variables, what runs in the
 * background.
 */
function livesInProcess(name: Tool['uses'][number]): boolean {
  return name === 'commands' || name === 'pipelines';
}

function keptIdOf({ tool, input }: Call): string | undefined {
  const id = tool === 'call_result' ? (input as { call_id?: unknown } | null)?.call_id : undefined;
  return typeof id === 'string' ? id : undefined;
}

/**
 * All of a call that another process can have. A client that can be asked here is one that answers by trying again
 * there.
 */
function plain(call: Call): Omit<Call, 'signal'> {
  const { tool, input, isMethod, requestId, arrival, patienceMs, replyBytes, isUnattended } = call;
  return {
    tool,
    input,
    isMethod,
    requestId,
    arrival,
    patienceMs,
    replyBytes,
    isUnattended,
    canRetry: call.canRetry === true || call.elicit !== undefined,
    carriesForms: call.carriesForms === true || call.form !== undefined,
  };
}

/** Less than a server may be silent before it is taken for lost. */
const surelyHeldMs = 10_000;
/** As long as a session of commands lasts that nobody uses. */
const idleMs = 8 * 60 * 60 * 1000;
