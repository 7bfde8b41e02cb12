/** Arguments that clients (Gemini CLI, loops of the AI SDK) add to every tool for themselves, but also send. */
const added = ['wait_for_previous', 'toolCallId'];

/** The arguments without the client's own, unless the tool has an argument of that name. */
export function withoutClientArguments(input: unknown, has: (name: string) => boolean): unknown {
  if (typeof input !== 'object' || input === null) return input;
  const extra = added.filter((name) => Object.hasOwn(input, name) && !has(name));
  if (extra.length === 0) return input;
  return Object.fromEntries(Object.entries(input).filter(([name]) => !extra.includes(name)));
}
