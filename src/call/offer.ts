import { type Caller, isAgent } from '../contract/caller.ts';
import type { Mode } from '../contract/policy.ts';
import { tokenArgument } from '../contract/session-token.ts';
import type { Tool } from '../contract/tool/tool.ts';
import { decide } from './decide.ts';

/**
 * The list for a caller without an agent's credential, if agents are served: the tools it may call, and those that a
 * token among the arguments would open. A list must not change through earlier calls, and a model can pass the token
 * from `authenticate` in no other way; each call decides again.
 */
export function offerTo(caller: Caller, tools: readonly Tool[], mode: Mode): readonly Tool[] {
  if (isAgent(caller) || caller.kind === 'coordinator' || isWrong(caller)) return [];
  return tools.flatMap((tool) => {
    const decision = decide(tool, caller, mode);
    if (decision.allowed) return [tool.name === 'help' ? withToken(tool) : tool];
    if (isOffered(tool, caller, mode)) return [tool];
    if (caller.scopes || (caller.toolsets && !caller.toolsets.includes(tool.toolset))) return [];
    const opens = decision.code === 'unauthenticated' || tool.permission === 'coordinator_only';
    return opens ? [withToken(tool)] : [];
  });
}

/**
 * Whether the caller may call the tool, or could with another scope. A client learns from a refused call which scope to
 * request, so the tool must be listed.
 */
export function isOffered(tool: Tool, caller: Caller, mode: Mode): boolean {
  const decision = decide(tool, caller, mode);
  return decision.allowed || decision.scope !== undefined;
}

function isWrong(caller: Caller): boolean {
  return caller.kind === 'anonymous' && caller.reason !== 'no_credential';
}

function withToken(tool: Tool): Tool {
  const { name, description } = tokenArgument(tool.permission);
  return {
    ...tool,
    inputSchema(locale) {
      const schema = tool.inputSchema(locale);
      const properties = schema.properties as Readonly<Record<string, unknown>> | undefined;
      return {
        ...schema,
        properties: { ...properties, [name]: { type: 'string', description: description[locale] } },
      };
    },
  };
}
