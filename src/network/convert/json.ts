/** Indents JSON by two spaces and keeps every digit and repeated key. Returns other text unchanged. Linear. */
export function prettyJson(source: string): string {
  if (!isJson(source)) return source;
  const parts: string[] = [];
  let depth = 0;
  let previous = '';
  for (const word of tokens(source)) {
    const isClosing = word === '}' || word === ']';
    if (isClosing) depth--;
    const opens = previous === '{' || previous === '[';
    if (isClosing ? !opens : opens || previous === ',') {
      parts.push('\n', ' '.repeat(2 * Math.min(depth, maxIndent)));
    }
    parts.push(word === ':' ? ': ' : word);
    if (word === '{' || word === '[') depth++;
    previous = word;
  }
  return parts.join('');
}

/** Deep nesting must not make a small text huge. */
const maxIndent = 32;

function* tokens(source: string): Generator<string> {
  const plain = /[{}[\],:]|[^\s{}[\],:"]+/y;
  for (let at = 0; at < source.length; ) {
    plain.lastIndex = at;
    const word = source[at] === '"' ? source.slice(at, stringEnd(source, at)) : plain.exec(source)?.[0];
    if (word !== undefined) yield word;
    at += word?.length ?? 1;
  }
}

function stringEnd(source: string, open: number): number {
  let at = open + 1;
  while (at < source.length && source[at] !== '"') at += source[at] === '\\' ? 2 : 1;
  return at + 1;
}

function isJson(source: string): boolean {
  try {
    JSON.parse(source);
    return true;
  } catch {
    return false;
  }
}
