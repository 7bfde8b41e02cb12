import type { Arrival } from '../contract/call.ts';
import { limits } from '../contract/limits.ts';

/**
 * What of a result goes out to a client. A program gets text and structured content, each complete, as the protocol
 * recommends. An agent gets the text alone where it would otherwise show its model one line of JSON, or all twice.
 */
export interface ReplyForm {
  readonly structured: boolean;
  /** Facts about the call beside its result. */
  readonly meta: boolean;
  /** The revision that is spoken; absent: ours. */
  readonly revision?: string | undefined;
  /** It keeps tools back until its model searches for them, but for those that are marked. */
  readonly defers?: boolean | undefined;
  /** Providers of its models refuse nulls, defaults or bounds in a schema, or each token of the list is paid for again. */
  readonly plainSchemas?: boolean | undefined;
  /** A longer text is cut by the client, or put where none of our tools can read it. */
  readonly maxBytes: number;
}

const program: ReplyForm = { structured: true, meta: true, maxBytes: limits.replyBytes };
const agent: ReplyForm = { ...program, structured: false, plainSchemas: true };

/**
 * Agents that hand results to a model, by the name that they give of themselves, each as it was seen to behave:
 * `npm run clients` drives them and says so again. Whoever is not here is a program.
 */
const agents: readonly (readonly [name: RegExp, form: ReplyForm])[] = [
  // Show structured content alone: a file as one escaped line.
  [/^claude-code$/, { ...agent, defers: true }],
  [/^codex-mcp-client$/, agent],
  // Show text alone, and hold the data of an error to the output schema.
  [/^gemini-cli-mcp-client/, agent],
  [/^opencode$/, agent],
  [/^continue-cli-client$/, agent],
  // Shows both, and puts what is over 25,000 characters into a file of its own.
  [/^qwen-cli-mcp-client/, { ...agent, maxBytes: 24_000 }],
  // Shows the whole result as JSON, and of that the first and the last 4,000 characters.
  [/^@?cline\b/i, { ...agent, meta: false, maxBytes: 6500 }],
  // Shows both, and puts what is over 20 KiB into a file of its own.
  [/^copilot-cli$/, { ...agent, maxBytes: 20_000 }],
];

/** Structured content came with this revision; a client of an older one has no place for it. */
const firstStructured = '2025-06-18';

export function replyFormOf({ client, revision }: Pick<Arrival, 'client' | 'revision'>): ReplyForm {
  const [, form] = agents.find(([name]) => name.test(client?.name ?? '')) ?? [];
  if (form) return { ...form, revision };
  const structured = revision === undefined || revision >= firstStructured;
  return { ...program, structured, revision };
}
