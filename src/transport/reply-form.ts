import type { Arrival } from '../contract/call.ts';

/**
 * What of a result goes out. `both`: text and structured content, each complete, as the protocol recommends for a
 * program. `text`: the text alone, for an agent that would otherwise show its model one line of JSON, or all twice.
 */
export type ReplyForm = 'both' | 'text';

/**
 * Agents that hand results to a model, by the name that they give of themselves, each as it was seen to behave:
 * `npm run clients` drives them and says so again. Whoever is not here gets both.
 */
const agents: readonly (readonly [name: RegExp, reason: string])[] = [
  [/^claude-code$/, 'shows structured content alone: a file as one escaped line'],
  [/^codex-mcp-client$/, 'shows structured content alone: a file as one escaped line'],
  [/^gemini-cli-mcp-client/, 'shows text alone, and checks the data of an error against the output schema'],
  [/^qwen-cli-mcp-client/, 'shows text and structured content: all twice'],
  [/^opencode$/, 'shows text alone, and checks the data of an error against the output schema'],
  [/^continue-cli-client$/, 'shows text alone'],
  [/^cline$/i, 'shows text and structured content: all twice'],
  [/^copilot-cli$/, 'shows text and structured content: all twice'],
];

/** Structured content came with this revision; a client of an older one has no place for it. */
const firstStructured = '2025-06-18';

export function replyFormOf({ client, revision }: Pick<Arrival, 'client' | 'revision'>): ReplyForm {
  if (revision !== undefined && revision < firstStructured) return 'text';
  return agents.some(([name]) => name.test(client?.name ?? '')) ? 'text' : 'both';
}
