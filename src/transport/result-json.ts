import { randomUUID } from 'node:crypto';
import { isJsonOf } from '../contract/text/json-block.ts';
import { isObject, type Params } from './jsonrpc.ts';

/**
 * The JSON of a result. A read returns the same long text twice, for models and as data: it is escaped once, which is
 * half of what such a call costs to encode. Where the text is the JSON of the data, it is put in as that.
 */
export function createResultJson(): (result: Params) => string {
  // Stands for the text until it is put in; nobody outside sees it, so nobody can send it.
  const mark = randomUUID();
  const markJson = JSON.stringify(mark);
  const dataMark = randomUUID();
  const dataMarkJson = JSON.stringify(dataMark);

  return (result) => {
    const { content, structuredContent } = result;
    const block: unknown = Array.isArray(content) && content.length === 1 ? content[0] : undefined;
    if (!isObject(block) || !isObject(structuredContent)) return JSON.stringify(result);
    const { text } = block;
    if (typeof text !== 'string' || text.length < longChars) return JSON.stringify(result);
    if (isJsonOf(block, structuredContent)) {
      const marked = { ...result, content: [{ ...block, text: mark }], structuredContent: dataMark };
      return JSON.stringify(marked)
        .replace(dataMarkJson, () => text)
        .replace(markJson, () => JSON.stringify(text));
    }
    const key = Object.keys(structuredContent).find((name) => structuredContent[name] === text);
    if (key === undefined) return JSON.stringify(result);
    const marked = {
      ...result,
      content: [{ ...block, text: mark }],
      structuredContent: { ...structuredContent, [key]: mark },
    };
    const [first = '', ...rest] = JSON.stringify(marked).split(markJson);
    const json = stringJson(text);
    // By `+`, which copies nothing until the whole is written; `join` would copy megabytes once more.
    return rest.reduce((whole, part) => whole + json + part, first);
  };
}

/** What `JSON.stringify` says, made in pieces: its buffer grows by copying, a quarter of the time for megabytes. */
export function stringJson(text: string): string {
  if (text.length <= pieceChars) return JSON.stringify(text);
  let json = '"';
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + pieceChars, text.length);
    // The halves of a character stay together: alone each would be escaped.
    if (to < text.length && isFirstHalf(text.charCodeAt(to - 1))) to -= 1;
    json += JSON.stringify(text.slice(from, to)).slice(1, -1);
    from = to;
  }
  return `${json}"`;
}

function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

const longChars = 1024;
const pieceChars = 64 * 1024;
