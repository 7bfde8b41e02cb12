import { type Credentials, identify } from '../../call/identify.ts';
import type { Ongoing } from '../../call/ongoing.ts';
import { failureReply } from '../../call/reply.ts';
import type { Suspended } from '../../call/suspended.ts';
import type { Call, Reply } from '../../contract/call.ts';
import { reachesMachine } from '../../contract/capabilities/capabilities.ts';
import { ToolError } from '../../contract/error.ts';
import type { Tool } from '../../contract/tool/tool.ts';
import { cancelled } from '../../ground/errors/cancelled.ts';
import { isShared } from '../../store/target.ts';
import type { LiveCatalog } from '../catalog.ts';
import type { Rooms } from '../rooms.ts';

/**
 * Forwards calls that another server of this store must handle: it has the open question of a proxied server, the
 * running call, or the session's files and commands. That server checks and records them.
 */
export type Forwarding = ReturnType<typeof createForwarding>;

export interface ForwardingOptions {
  readonly rooms: Pick<Rooms, 'settings' | 'store'>;
  readonly credentials: Credentials;
  readonly suspended: Pick<Suspended, 'question'>;
  readonly ongoing: Pick<Ongoing, 'has'>;
  readonly catalog: LiveCatalog;
  readonly holds: Holds;
}

type Walk = (call: Call) => Promise<Reply>;

/** What this server has, as the others of its store know it. They pass the calls for it on. */
export class Holds {
  readonly hasOthers: boolean;
  readonly #rooms: Pick<Rooms, 'store'>;
  #walk: Walk | undefined;

  constructor(rooms: Pick<Rooms, 'settings' | 'store'>) {
    this.#rooms = rooms;
    // With SQLite all servers are on one machine, and each stdio client has its own.
    this.hasOthers = isShared(rooms.settings.storeUrl);
  }

  /** Calls of others walk the whole road here from now on. */
  open(walk: Walk): void {
    this.#walk = walk;
  }

  /** Tells the others that the key is here; resolves with a function that releases it. */
  async hold(key: string): Promise<() => void> {
    return (this.hasOthers && (await this.take(key))) || (() => {});
  }

  /** The same; undefined if another server has the key. */
  async take(key: string): Promise<(() => void) | undefined> {
    return (await this.#rooms.store()).relay.hold(key, (body, signal) => this.#carryOut(body, signal));
  }

  /** Sealed by a peer server, which accepted it from a client under the same rules. */
  async #carryOut(body: string, signal: AbortSignal): Promise<string> {
    const call = JSON.parse(body) as Omit<Call, 'signal'>;
    return JSON.stringify(await this.#walk?.({ ...call, signal }));
  }
}

/** A session whose files and commands are here. */
interface Pin {
  readonly letGo: () => void;
  readonly timer: NodeJS.Timeout;
  /** When the store last confirmed that it is ours. */
  readonly heldAt: number;
}

export function createForwarding(options: ForwardingOptions) {
  const { rooms, credentials, catalog, suspended, ongoing, holds } = options;
  const { http, locale } = rooms.settings;
  /** Sessions whose files and commands are here. */
  const pinned = new Map<string, Pin>();

  async function forward(key: string, call: Call): Promise<Reply | undefined> {
    let { answer, formAnswer, questionState } = call;
    for (;;) {
      const body = JSON.stringify({ ...plain(call), answer, formAnswer, questionState });
      const told = await (await rooms.store()).relay.ask(key, body, call.signal);
      if (told === undefined) return undefined;
      const reply = JSON.parse(told) as Reply;
      if (reply.kind !== 'question' || call.canRetry) return reply;
      // This client can be asked while its call waits: ask it here, and send the call again with the answer.
      const { question } = reply;
      questionState = question.state;
      formAnswer = question.form && (await call.form?.(question.form));
      answer = question.form ? undefined : await call.elicit?.(question);
    }
  }

  /** The key of the question or call that this call refers to, if another server has it. */
  async function keyOf(call: Call): Promise<string | undefined> {
    const question = suspended.question(call);
    if (question) return question.isHere ? undefined : question.id;
    const kept = keptIdOf(call);
    if (kept !== undefined) return ongoing.has(kept) ? undefined : kept;
    return machineOf(call);
  }

  /** Returns the session's key if another server has it; otherwise claims it here and returns undefined. */
  async function machineOf(call: Call): Promise<string | undefined> {
    const tool = (await catalog()).find(call.tool);
    const isTied = http.roots === 'own' ? reachesMachine : livesInProcess;
    if (!tool?.uses.some(isTied)) return undefined;
    const { caller } = await identify(call, credentials);
    if (caller.kind === 'anonymous') return undefined;
    const { sessionId } = caller;
    const known = pinned.get(sessionId);
    known?.timer.refresh();
    // A server that was suspended may count as lost, and another may have the session since.
    if (known && performance.now() - known.heldAt < surelyHeldMs) return undefined;
    const key = `machine ${sessionId}`;
    const letGo = await holds.take(key);
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
    /** The other server's reply; undefined if the call is to be handled here. */
    async reply(call: Call): Promise<Reply | undefined> {
      if (!holds.hasOthers || call.arrival.transport !== 'http') return undefined;
      try {
        const key = await keyOf(call);
        return key === undefined ? undefined : await forward(key, call);
      } catch (error) {
        const told = call.signal.aborted ? cancelled('call', error) : error;
        if (!(told instanceof ToolError)) throw error;
        return failureReply(told, '', locale);
      }
    },
    /** The session has ended: it may begin again anywhere. */
    leave: unpin,
  };
}

/** Things that live in one process even if all servers share files: working folders, variables, background commands. */
function livesInProcess(name: Tool['uses'][number]): boolean {
  return name === 'commands' || name === 'pipelines';
}

function keptIdOf({ tool, input }: Call): string | undefined {
  const id = tool === 'call_result' ? (input as { call_id?: unknown } | null)?.call_id : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** The parts of a call that can be forwarded. The other server asks the client as if it could only retry the call. */
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

/** Shorter than the silence after which a server counts as lost. */
const surelyHeldMs = 10_000;
/** As long as an idle session of commands lasts. */
const idleMs = 8 * 60 * 60 * 1000;
