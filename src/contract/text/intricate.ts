import { limits } from '../limits.ts';

/**
 * Is it JSON that would hold the process up: deeper, of more values, or with more names in one object than a message that
 * is meant? Looks at the bytes once, before they are parsed. What is no JSON is left to the parser.
 */
export function isTooIntricate(
  json: Buffer,
  { maxValues, maxDepth }: { readonly maxValues: number; readonly maxDepth: number },
): boolean {
  /** Names so far in each object that is open. */
  const names = [0];
  let values = 0;
  for (let at = 0; at < json.length; at++) {
    const last = names.length - 1;
    switch (json[at]) {
      case quote:
        at = endOfString(json, at);
        break;
      case openBracket:
      case openBrace:
        values += 1;
        names.push(0);
        if (last + 1 > maxDepth || values > maxValues) return true;
        break;
      case closeBracket:
      case closeBrace:
        if (last > 0) names.pop();
        break;
      case colon:
        names[last] = (names[last] ?? 0) + 1;
        if (Number(names[last]) > limits.messageNames) return true;
        break;
      case comma:
        values += 1;
        if (values > maxValues) return true;
        break;
    }
  }
  return false;
}

/** Most bytes of a message lie in strings, which are skipped at the speed of memory. */
function endOfString(json: Buffer, start: number): number {
  for (let end = json.indexOf(quote, start + 1); end !== -1; end = json.indexOf(quote, end + 1)) {
    let escapes = 0;
    while (json[end - 1 - escapes] === backslash) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return json.length;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
