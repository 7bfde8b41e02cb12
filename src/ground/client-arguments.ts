/** Arguments that clients add to every tool for their own use, and send on: Gemini CLI, and loops of the AI SDK. */
const added = ['wait_for_previous', 'toolCallId'];

/** The arguments without those that the client added, unless the tool itself has such an argument. */
export function withoutClientArguments(input: unknown, has: (name: string) => boolean): unknown {
  if (typeof input !== 'object' || input === null) return input;
  const extra = added.filter((name) => Object.hasOwn(input, name) && !has(name));
  if (extra.length === 0) return input;
  return Object.fromEntries(Object.entries(input).filter(([name]) => !extra.includes(name)));
}
