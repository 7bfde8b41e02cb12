/** A block of text that is the JSON of a value, and knows of which one: who encodes both need not make it twice. */
export function jsonBlock(value: object): { readonly type: 'text'; readonly text: string } {
  const block = { type: 'text' as const, text: JSON.stringify(value) };
  // Not to be seen by who lists, copies or encodes the block.
  Object.defineProperty(block, madeOf, { value });
  return block;
}

/** Is this text the JSON of this very value? */
export function isJsonOf(block: object, value: object): boolean {
  return (block as { readonly [madeOf]?: unknown })[madeOf] === value;
}

const madeOf = Symbol('made of');
