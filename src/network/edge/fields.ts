/** A header field, its name as it was sent. */
export type Field = readonly [name: string, value: string];

/** The fields of Node's flat list. */
export function pairsOf(raw: readonly string[]): readonly Field[] {
  const pairs: Field[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    pairs.push([raw[index] ?? '', raw[index + 1] ?? '']);
  }
  return pairs;
}

export function valuesOf(fields: readonly Field[], name: string): readonly string[] {
  return fields.flatMap(([each, value]) => (each.toLowerCase() === name ? [value] : []));
}

/** The fields that the next hop gets too. */
export function endToEnd(fields: readonly Field[], more: readonly string[] = []): readonly Field[] {
  const named = valuesOf(fields, 'connection').flatMap((value) =>
    value.split(',').map((word) => word.trim().toLowerCase()),
  );
  // A hop must not remove the headers that frame the body.
  const left = new Set([...hopByHop, ...named.filter((name) => name !== 'content-length'), ...more]);
  return fields.filter(([name]) => {
    const lower = name.toLowerCase();
    return !left.has(lower) && !lower.startsWith('proxy-');
  });
}

/** For the next hop only (RFC 9110, 7.6.1). */
const hopByHop = ['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'];

/** A request for a websocket. Requests for other protocols are answered as if they had not asked for one. */
export function isSwitch(fields: readonly Field[]): boolean {
  return valuesOf(fields, 'upgrade').some((value) => value.toLowerCase() === 'websocket');
}
