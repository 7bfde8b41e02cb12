import type { Call } from './conversation.ts';
import type { Say } from './dialects/dialect.ts';
import type { ScriptedModel } from './model.ts';

/** A call as this client's model would make it: by the client's name for the tool, found first where it is kept back. */
export function sayIn(model: ScriptedModel): (call: Call) => Say {
  return ({ tool, input }) => {
    const offered = oursAmong(model).find(({ name }) => name.endsWith(tool));
    if (offered) return { tool: offered.name, input };
    const search = model.turns.at(-1)?.tools.some(({ name }) => name === 'tool_search');
    if (search && model.turns.length < mostSearches)
      return { tool: 'tool_search', input: { query: tool, limit: 20 } };
    return { text: `There is no ${tool}.` };
  };
}

/** Clients put the server's name before a tool's, one way or another; one gives the names as they are. */
export function oursAmong({ turns }: ScriptedModel) {
  const offered = turns.at(-1)?.tools ?? [];
  const marked = offered.filter(({ name }) => /sekisho/i.test(name));
  return marked.length > 0 ? marked : offered;
}

/** A search that finds nothing is not tried for ever. */
const mostSearches = 60;
