/** Arguments that clients (Gemini CLI, loops of the AI SDK) add to every tool for themselves, but also send. */
const added = ['wait_for_previous', 'toolCallId'];

/** Clients' own shells take it for the person, and models give it with the command of any other shell too. */
const beside = ['description'];

/** The arguments without the client's own, unless the tool has an argument of that name. */
export function withoutClientArguments(input: unknown, has: (name: string) => boolean): unknown {
  if (typeof input !== 'object' || input === null) return input;
  const others = has('command') ? [...added, ...beside] : added;
  const extra = others.filter((name) => Object.hasOwn(input, name) && !has(name));
  if (extra.length === 0) return input;
  return Object.fromEntries(Object.entries(input).filter(([name]) => !extra.includes(name)));
}
