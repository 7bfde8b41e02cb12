/** A text block with a value's JSON. `isJsonOf` recognizes it, so that a sender of both encodes it once. */
export function jsonBlock(value: object): { readonly type: 'text'; readonly text: string } {
  const block = { type: 'text' as const, text: JSON.stringify(value) };
  // Not enumerable, so listing, copying or encoding the block leaves it out.
  Object.defineProperty(block, madeOf, { value });
  return block;
}

/** Whether `jsonBlock` made this block from this very object. */
export function isJsonOf(block: object, value: object): boolean {
  return (block as { readonly [madeOf]?: unknown })[madeOf] === value;
}

const madeOf = Symbol('made of');
