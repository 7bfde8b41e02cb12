import { type Caller, isAgent } from '../contract/caller.ts';
import type { Mode } from '../contract/policy.ts';
import { tokenArgument } from '../contract/session-token.ts';
import type { Tool } from '../contract/tool/tool.ts';
import type { GuideEntry, ToolGuide } from '../contract/tool/tool-card.ts';
import { decide } from './decide.ts';

/** The tools that are served. A `Map`, since callers name the keys. */
export interface Catalog extends ToolGuide {
  readonly mode: Mode;
  readonly tools: readonly Tool[];
  find(name: string): Tool | undefined;
  /** The tools that this caller may call, in a stable order. Equal answers are the same array. */
  allowed(caller: Caller): { readonly tools: readonly Tool[] };
  /** The tools of `tools/list`: the same and, if agents are served, those that a token argument would open. */
  offered(caller: Caller): { readonly tools: readonly Tool[] };
}

/** Throws if two tools have one name. An absent tool stands for all whose names begin with its own. */
export function createCatalog(tools: readonly Tool[], mode: Mode, absent: readonly Tool[] = []): Catalog {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    if (byName.has(tool.name)) throw new Error(`Two tools are named ${tool.name}.`);
    byName.set(tool.name, tool);
  }
  const shown = tools.filter((tool) => !tool.unlisted);
  const lists = new Map<string, { readonly key: string; readonly tools: readonly Tool[] }>();

  function allowed(caller: Caller) {
    const bits = shown.map((tool) => (decide(tool, caller, mode).allowed ? '1' : '0')).join('');
    let list = lists.get(bits);
    if (!list) {
      list = { key: bits, tools: shown.filter((_, index) => bits[index] === '1') };
      // Few combinations of role, purpose and toolsets exist; bounded nevertheless, as tokens name toolsets.
      if (lists.size >= 256) lists.clear();
      lists.set(bits, list);
    }
    return list;
  }

  const servesAgents = shown.some((tool) => tool.agentsOnly);
  const offers = new Map<string, readonly Tool[]>();

  function offered(caller: Caller) {
    const plain = allowed(caller);
    if (!servesAgents && !caller.scopes) return plain;
    const tools = servesAgents
      ? offerTo(caller, shown, mode)
      : shown.filter((tool) => isOffered(tool, caller, mode));
    if (tools.length === 0) return plain;
    const key = `${plain.key} offered ${tools.map((tool) => tool.name).join(' ')}`;
    const known = offers.get(key) ?? tools;
    if (offers.size >= 256) offers.clear();
    offers.set(key, known);
    return { tools: known };
  }

  return {
    mode,
    tools,
    find: (name) => byName.get(name) ?? absent.find((tool) => name.startsWith(tool.name)),
    allowed,
    offered,
    nearest(name, caller) {
      return allowed(caller)
        .tools.map((tool) => ({ name: tool.name, distance: distanceBetween(name.slice(0, 80), tool.name) }))
        .filter((near) => near.distance <= Math.max(2, Math.floor(near.name.length / 2)))
        .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
        .slice(0, 3)
        .map((near) => near.name);
    },
    list: (caller): readonly GuideEntry[] =>
      [...shown, ...absent].flatMap((tool): GuideEntry[] => {
        const decision = decide(tool, caller, mode);
        if (decision.allowed) return [{ tool, allowed: !absent.includes(tool) }];
        // A caller that may not know of the tool gets no reason.
        return decision.code === 'not_found' ? [] : [{ tool, allowed: false, reason: decision.reason }];
      }),
  };
}

/** The Levenshtein distance of two short names. */
function distanceBetween(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      current[j] = Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + same);
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}

/**
 * The list for a caller without an agent's credential, if agents are served: the tools it may call, and those that a
 * token among the arguments would open. A list must not change through earlier calls, and a model can pass the token
 * from `authenticate` in no other way; each call decides again.
 */
function offerTo(caller: Caller, tools: readonly Tool[], mode: Mode): readonly Tool[] {
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

/** Whether the caller may call the tool, perhaps with another scope: a refused call tells which, so it is listed. */
function isOffered(tool: Tool, caller: Caller, mode: Mode): boolean {
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
