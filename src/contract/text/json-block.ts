/**
 * A text block with the JSON of a value. `isJsonOf` recognizes it, so that whoever sends both does not encode the
 * value twice.
 */
export function jsonBlock(value: object): { readonly type: 'text'; readonly text: string } {
  const block = { type: 'text' as const, text: JSON.stringify(value) };
  // Not to be seen by who lists, copies or encodes the block.
  Object.defineProperty(block, madeOf, { value });
  return block;
}

/** Was this block made by `jsonBlock` from this very object? */
export function isJsonOf(block: object, value: object): boolean {
  return (block as { readonly [madeOf]?: unknown })[madeOf] === value;
}

const madeOf = Symbol('made of');
