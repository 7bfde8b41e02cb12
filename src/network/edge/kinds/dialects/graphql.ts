/** The operations that a GraphQL document asks for. */
export interface Operation {
  readonly type: 'query' | 'mutation' | 'subscription';
  readonly name: string | undefined;
  /** Fields of its root, without their aliases; fragments as `...Name`. */
  readonly fields: readonly string[];
}

export interface GraphqlDocument {
  readonly operations: readonly Operation[];
  /** The values of its strings. */
  readonly strings: readonly string[];
}

const maxDocumentChars = 200_000;
/** Comments and commas mean nothing; strings come before names, which they may contain (spec.graphql.org, 2.1). */
const tokens =
  /(?:[\s,\ufeff]|#[^\n\r]*)+|"""(?<block>(?:\\"""|(?!""")[\s\S])*)"""|"(?<string>(?:[^"\\\n\r]|\\.)*)"|(?<name>[A-Za-z_]\w*)|(?<number>-?\d[\d.eE+-]*)|(?<sign>\.\.\.|[!$&()*:=@[\]{|}])/gy;

/** Reads a document; undefined if it is none, since its host may then read it in another way. */
export function readGraphql(document: string): GraphqlDocument | undefined {
  if (document.length > maxDocumentChars) return undefined;
  const found: string[] = [];
  const strings: string[] = [];
  let end = 0;
  for (const match of document.matchAll(tokens)) {
    end = match.index + match[0].length;
    const { block, string, name, number, sign } = match.groups ?? {};
    const text = block ?? string;
    if (text !== undefined) strings.push(text);
    // A string is no name, whatever it contains.
    const token = text === undefined ? (name ?? number ?? sign) : '"';
    if (token !== undefined) found.push(token);
  }
  if (end !== document.length || found.length === 0) return undefined;
  const operations = operationsOf(found);
  return operations && { operations, strings };
}

function operationsOf(found: readonly string[]): readonly Operation[] | undefined {
  const operations: Operation[] = [];
  let at = 0;
  while (at < found.length) {
    const start = found[at] ?? '';
    const open = bodyFrom(found, at);
    const end = open === -1 ? -1 : closing(found, open);
    if (end === -1) return undefined;
    if (start === '{' || start === 'query' || start === 'mutation' || start === 'subscription') {
      const next = found[at + 1] ?? '';
      operations.push({
        type: start === '{' ? 'query' : start,
        name: start !== '{' && /^\w/.test(next) ? next : undefined,
        fields: rootFields(found.slice(open + 1, end)),
      });
    } else if (start !== 'fragment') return undefined;
    at = end + 1;
  }
  return operations.length > 0 ? operations : undefined;
}

/** Where the selection of a definition begins: after its variables, whose defaults may have braces, too. */
function bodyFrom(found: readonly string[], from: number): number {
  let depth = 0;
  for (let at = from; at < found.length; at += 1) {
    if (found[at] === '(') depth += 1;
    else if (found[at] === ')') depth -= 1;
    else if (found[at] === '{' && depth === 0) return at;
  }
  return -1;
}

function closing(found: readonly string[], open: number): number {
  let depth = 0;
  for (let at = open; at < found.length; at += 1) {
    if (found[at] === '{') depth += 1;
    else if (found[at] === '}') depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

function rootFields(selection: readonly string[]): readonly string[] {
  const fields: string[] = [];
  let depth = 0;
  for (const [at, token] of selection.entries()) {
    if (token === '(' || token === '{' || token === '[') depth += 1;
    else if (token === ')' || token === '}' || token === ']') depth -= 1;
    else if (depth === 0 && token === '...') fields.push(`...${selection[at + 1] ?? ''}`);
    else if (
      depth === 0 &&
      /^[A-Za-z_]/.test(token) &&
      selection[at + 1] !== ':' &&
      !['...', '@'].includes(selection[at - 1] ?? '')
    )
      fields.push(token);
  }
  return fields;
}
