import type { Arrival } from '../contract/call.ts';
import { limits } from '../contract/limits.ts';

/**
 * The parts of a result that a client gets. Programs get text and structured content, each complete, as the protocol
 * recommends. Agents get only the text if they would otherwise show their model one line of JSON, or everything twice.
 */
export interface ReplyForm {
  readonly structured: boolean;
  /** Facts about the call beside its result. */
  readonly meta: boolean;
  /** The negotiated revision; default: ours. */
  readonly revision?: string | undefined;
  /** It withholds tools until its model searches for them, except for marked ones. */
  readonly defers?: boolean | undefined;
  /** Its models' providers reject nulls, defaults or bounds in a schema, or bill the list's tokens repeatedly. */
  readonly plainSchemas?: boolean | undefined;
  /** The client cuts a longer text, or saves it where none of our tools can read it. */
  readonly maxBytes: number;
}

const program: ReplyForm = { structured: true, meta: true, maxBytes: limits.replyBytes };
const agent: ReplyForm = { ...program, structured: false, plainSchemas: true };

/**
 * Agents that pass results to a model, by the client name that they send, with their observed behaviour: `npm run
 * clients` runs them and checks it. Other clients are programs.
 */
const agents: readonly (readonly [name: RegExp, form: ReplyForm])[] = [
  // Show only structured content: a file as one escaped line.
  [/^claude-code$/, { ...agent, defers: true }],
  [/^codex-mcp-client$/, agent],
  // Show only text, and validate an error's data against the output schema.
  [/^gemini-cli-mcp-client/, agent],
  [/^opencode$/, agent],
  [/^continue-cli-client$/, agent],
  // Shows both, and saves text over 25,000 characters to a separate file.
  [/^qwen-cli-mcp-client/, { ...agent, maxBytes: 24_000 }],
  // Shows the whole result as JSON, and of that the first and the last 4,000 characters.
  [/^@?cline\b/i, { ...agent, meta: false, maxBytes: 6500 }],
  // Shows both, and saves text over 20 KiB to a separate file.
  [/^copilot-cli$/, { ...agent, maxBytes: 20_000 }],
];

/** The revision that introduced structured content; older clients have no place for it. */
const firstStructured = '2025-06-18';

export function replyFormOf({ client, revision }: Pick<Arrival, 'client' | 'revision'>): ReplyForm {
  const [, form] = agents.find(([name]) => name.test(client?.name ?? '')) ?? [];
  if (form) return { ...form, revision };
  const structured = revision === undefined || revision >= firstStructured;
  return { ...program, structured, revision };
}
