/**
 * Parses a record as Python prints it, `{'id': 7, 'open': True}`, which servers in that language often return; JSON is
 * nearly a subset. Undefined if it is no such record, or more follows. Linear, and ends at the first two values in a row.
 */
export function readLiteral(text: string): unknown {
  let valueEnd = -1;
  const toJson = (token: string, single?: string, double?: string, end?: string, at = 0) => {
    if (/^[(),]/.test(token)) return brackets[token] ?? '';
    if (end === '' || (valueEnd >= 0 && text.slice(valueEnd, at).trim() === '')) throw noLiteral;
    valueEnd = at + token.length;
    const quoted = single ?? double;
    if (quoted !== undefined)
      return JSON.stringify(quoted.replace(/\\(.)/gs, (_, sign) => signs[sign] ?? sign));
    if (/^\s{0,64}:/.test(text.slice(valueEnd, valueEnd + 65))) return JSON.stringify(token);
    return values.get(token) ?? token;
  };
  try {
    return JSON.parse(text.replace(tokens, toJson));
  } catch (error) {
    if (error === noLiteral || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Strings, with their closing quote if there is one; words; brackets of tuples; a comma after the last member. */
const tokens =
  /(?:'([^'\\]*(?:\\.[^'\\]*)*)|"([^"\\]*(?:\\.[^"\\]*)*))(['"]?)|[\w.+-]+|[()]|,(?=\s*[)\]}])/gs;
const noLiteral = new Error('no literal');
const values = new Map(Object.entries({ True: 'true', False: 'false', None: 'null' }));
const brackets: Readonly<Record<string, string>> = { '(': '[', ')': ']' };
const signs: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };
