/** Missing in the compiler's library types so far. */
interface RawJson {
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
}
const { rawJSON, isRawJSON } = JSON as unknown as RawJson;

type Members = Record<string, unknown>;

/**
 * Parses a message and keeps the digits of integers in `outer.inner` that exceed JavaScript numbers, such as database
 * ids: they are written out again unchanged. Elsewhere, numbers are numbers.
 */
export function parseMessage(text: string, outer: 'params' | 'result', inner: string): unknown {
  const message: unknown = JSON.parse(text);
  if (!manyDigits.test(text)) return message;
  const exact: unknown = JSON.parse(text, keepDigits);
  const messages = Array.isArray(message) ? message : [message];
  const kept = Array.isArray(exact) ? exact : [exact];
  for (const [index, each] of messages.entries()) {
    const holder = Object(each)[outer] as Members | undefined;
    if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, inner)) continue;
    holder[inner] = (kept[index] as Record<string, Members>)[outer]?.[inner];
  }
  return message;
}

/** Whether it is an integer that was kept this way. */
export function isWhole(value: unknown): boolean {
  return isRawJSON(value);
}

const manyDigits = /\d{16}/;

function keepDigits(_key: string, value: unknown, { source }: { readonly source?: string } = {}): unknown {
  const isLost = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
  return isLost && source !== undefined && /^-?\d+$/.test(source) ? rawJSON(source) : value;
}
