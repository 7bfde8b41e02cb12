import type { ContentBlock, Reply } from '../../contract/call.ts';
import type { Caller } from '../../contract/caller.ts';
import type { PolicyVerdict } from '../../contract/policy.ts';
import { joinSentences, type Locale, text } from '../../contract/text/text.ts';
import type { Tool } from '../../contract/tool/tool.ts';
import { digestOf } from '../../ground/digest.ts';

/** A call as far as it is known: a refused one may have no tool. */
export interface Made {
  readonly caller?: Caller | undefined;
  readonly tool?: Tool | undefined;
  readonly input?: unknown;
}

/** When a call arrived, by `performance.now()`, and the size of its arguments. */
interface Sent {
  readonly atMs: number;
  readonly bytes: number;
}

interface Last {
  readonly call: string;
  readonly result: string;
  readonly times: number;
  readonly endedAtMs: number;
}

/**
 * Counts equal calls of a session in a row whose results are equal as well. After `after` of them the reply says so, and
 * after five times as many a person is asked, unless the mode asks about nothing. 0: never. A call counts if it was
 * sent after the reply to the one before.
 */
export class Repeats {
  readonly #after: number;
  readonly #mayAsk: boolean;
  readonly #lasts = new Map<string, Last>();

  constructor(after: number, mayAsk: boolean) {
    this.#after = after;
    this.#mayAsk = mayAsk;
  }

  /** The question about a call that is repeated too often. */
  verdict({ caller, tool, input }: Required<Made>): PolicyVerdict | undefined {
    const last = this.#mayAsk && caller ? this.#lasts.get(caller.sessionId) : undefined;
    if (!last || last.times < askAfter * this.#after || !tool || last.call !== callOf(tool, input))
      return undefined;
    return {
      decision: 'ask',
      rule: 'repeats',
      because: text(
        `the same call gave the same result ${last.times} times in a row (limits.repeats)`,
        `同じ呼び出しが ${last.times} 回続けて同じ結果でした（limits.repeats）`,
      ),
    };
  }

  /** A person let it be repeated: it is counted anew. */
  agreed({ sessionId }: Caller): void {
    this.#lasts.delete(sessionId);
  }

  /** Counts a call, and adds the notice to the reply of one that is repeated. */
  count({ caller, tool, input }: Made, sent: Sent, reply: Reply, locale: Locale): Reply {
    if (this.#after === 0 || !caller || !tool || isWaiting(tool, input) || saysToWait(reply)) return reply;
    const { sessionId } = caller;
    const before = this.#lasts.get(sessionId);
    if (before && sent.atMs < before.endedAtMs) {
      // A call that is sent before this one has ended is not in a row with it, either.
      this.#lasts.set(sessionId, { ...before, endedAtMs: performance.now() });
      return reply;
    }
    const result = sent.bytes > mostBytes ? undefined : resultOf(reply);
    // The newest at the end.
    this.#lasts.delete(sessionId);
    if (result === undefined) return reply;
    const call = callOf(tool, input);
    const isRepeated = before?.call === call && before.result === result;
    const times = isRepeated ? before.times + 1 : 1;
    this.#lasts.set(sessionId, { call, result, times, endedAtMs: performance.now() });
    const [oldest] = this.#lasts.size > mostSessions ? this.#lasts.keys() : [];
    if (oldest !== undefined) this.#lasts.delete(oldest);
    return times < this.#after ? reply : withNotice(reply, this.#notice(times)[locale]);
  }

  leave(sessionId: string): void {
    this.#lasts.delete(sessionId);
  }

  #notice(times: number) {
    const next = this.#mayAsk
      ? text(
          ` After ${askAfter * this.#after}, a person is asked first.`,
          `${askAfter * this.#after} 回を超えると、先に人に確認します。`,
        )
      : text('', '');
    return text(
      `[Sekisho: this call has given the same result ${times} times in a row. Find out why, try something else, or ask the user.${next.en}]`,
      `[Sekisho: この呼び出しは ${times} 回続けて同じ結果でした。原因を調べる、別の方法を試す、またはユーザーに尋ねてください。${next.ja}]`,
    );
  }
}

function callOf(tool: Tool, input: unknown): string {
  return digestOf({ tool: tool.name, input });
}

/** Undefined: too long to be compared. */
function resultOf(reply: Reply): string | undefined {
  if (reply.kind !== 'output') return reply.kind === 'error' ? digestOf(reply.text) : undefined;
  const bytes = reply.content.reduce((sum, block) => sum + sizeOf(block), 0);
  return bytes > mostBytes ? undefined : digestOf(reply.content);
}

function sizeOf(block: ContentBlock): number {
  if (block.type === 'text') return block.text.length;
  return 'data' in block ? block.data.length : 0;
}

function withNotice(reply: Reply, notice: string): Reply {
  if (reply.kind === 'output')
    return { ...reply, content: [{ type: 'text', text: notice }, ...reply.content] };
  return reply.kind === 'error' ? { ...reply, text: joinSentences(reply.text, notice) } : reply;
}

/** Replies that tell the caller to send the same call again later. */
function saysToWait(reply: Reply): boolean {
  return reply.kind === 'question' || (reply.kind === 'error' && waitCodes.has(reply.code));
}

const waitCodes: ReadonlySet<string> = new Set([
  'approval_pending',
  'still_running',
  'rate_limited',
  'unavailable',
  'cancelled',
]);

/** A call that looks whether something has happened yet: by its tool's name, or by the words of its command. */
function isWaiting({ name, toolset, uses }: Tool, input: unknown): boolean {
  if (toolset === 'collaboration' || waitingName.test(name)) return true;
  return uses.includes('commands') && waitingWords.test(JSON.stringify(input).slice(0, mostBytes));
}

const waitingName =
  /^bash_list$|(^|[^a-z])(status|wait|watch|poll|output|results?|progress|next|pending|health|jobs?|runs?|logs?)($|[^a-z])/i;
const waitingWords =
  /(^|[^\w.-])(sleep|wait|watch|inotifywait|tail|ps|pgrep|jobs|status|poll|health\w*|kubectl get|docker ps)($|[^\w.-])/i;
const askAfter = 5;
const mostBytes = 64 * 1024;
const mostSessions = 1000;
