const maxDepth = 12;

/**
 * Parses a record as Python prints it, `{'id': 7, 'open': True}`, which servers in that language often return; JSON is
 * nearly a subset. Undefined if it is no such record, or more follows. Linear: each character is read once.
 */
export function readLiteral(text: string): unknown {
  let at = 0;

  function value(depth: number): unknown {
    skip();
    const first = text[at];
    if (depth > maxDepth) throw noLiteral;
    if (first === '{') return record(depth);
    if (first === '[' || first === '(') return list(first === '[' ? ']' : ')', depth);
    if (first === "'" || first === '"') return quoted(first);
    const [word] = /^[\w.+-]+/.exec(text.slice(at, at + 64)) ?? [];
    if (word === undefined) throw noLiteral;
    at += word.length;
    if (words.has(word)) return words.get(word);
    const number = Number(word);
    if (Number.isNaN(number)) throw noLiteral;
    return number;
  }

  function record(depth: number): unknown {
    const entries: [string, unknown][] = [];
    at++;
    while (!ends('}')) {
      const key = value(depth + 1);
      skip();
      if (text[at++] !== ':') throw noLiteral;
      entries.push([String(key), value(depth + 1)]);
      separate('}');
    }
    return Object.fromEntries(entries);
  }

  function list(close: string, depth: number): unknown {
    const members: unknown[] = [];
    at++;
    while (!ends(close)) {
      members.push(value(depth + 1));
      separate(close);
    }
    return members;
  }

  function quoted(quote: string): string {
    let said = '';
    for (at++; at < text.length; at++) {
      const letter = text[at] ?? '';
      if (letter === quote) {
        at++;
        return said;
      }
      if (letter !== '\\') said += letter;
      else {
        at++;
        said += escapes.get(text[at] ?? '') ?? text[at] ?? '';
      }
    }
    throw noLiteral;
  }

  function skip(): void {
    while (at < text.length && /\s/.test(text[at] ?? '')) at++;
  }

  function ends(close: string): boolean {
    skip();
    if (text[at] !== close) return false;
    at++;
    return true;
  }

  function separate(close: string): void {
    skip();
    if (text[at] === ',') at++;
    else if (text[at] !== close) throw noLiteral;
  }

  try {
    const read = value(0);
    skip();
    return at === text.length ? read : undefined;
  } catch (error) {
    if (error === noLiteral) return undefined;
    throw error;
  }
}

const noLiteral = new Error('no literal');
const words = new Map<string, unknown>([
  ['True', true],
  ['False', false],
  ['None', null],
  ['true', true],
  ['false', false],
  ['null', null],
]);
const escapes = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
]);
