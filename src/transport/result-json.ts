import { randomUUID } from 'node:crypto';
import { isJsonOf } from '../contract/text/json-block.ts';
import { isRecord } from '../ground/is-record.ts';
import type { Params } from './jsonrpc.ts';

/**
 * The JSON of a result. A read returns a long text twice, for models and as data: it is escaped once, which halves the
 * cost of encoding such a call. A text that is the JSON of the data is inserted as such.
 */
export function createResultJson(): (result: Params) => string {
  // Stands for a text until it is inserted; it is never sent, so no one can forge it.
  const mark = randomUUID();
  const marked = new RegExp(`"${mark}(\\d+)"`, 'g');

  return (result) => {
    const { content, structuredContent } = result;
    if (!isRecord(structuredContent)) return JSON.stringify(result);
    const block: unknown = Array.isArray(content) && content.length === 1 ? content[0] : undefined;
    const text = isRecord(block) && typeof block.text === 'string' ? block.text : '';
    const texts: string[] = [];
    const markOf = (json: string) => `${mark}${texts.push(json) - 1}`;
    if (isRecord(block) && text.length >= longChars && isJsonOf(block, structuredContent)) {
      const json = JSON.stringify({
        ...result,
        content: [{ ...block, text: markOf(stringJson(text)) }],
        structuredContent: markOf(text),
      });
      return filled(isWide(text) ? json : narrow(json), marked, texts);
    }
    let holdsWide = false;
    let data: Record<string, unknown> | undefined;
    let textMark: string | undefined;
    for (const [key, value] of Object.entries(structuredContent)) {
      if (typeof value !== 'string') continue;
      const isText = value === text && text.length >= longChars;
      if (!isText && value.length <= pieceChars) continue;
      const put: string = (isText && textMark) || markOf(stringJson(value));
      if (isText) textMark = put;
      holdsWide ||= isWide(value);
      data ??= { ...structuredContent };
      data[key] = put;
    }
    if (!data) return JSON.stringify(result);
    const said = isRecord(block) && textMark !== undefined && [{ ...block, text: textMark }];
    const json = JSON.stringify({ ...result, ...(said && { content: said }), structuredContent: data });
    return filled(holdsWide ? json : narrow(json), marked, texts);
  };
}

/** By `+`, which copies nothing until the whole is written; `join` would copy megabytes once more. */
function filled(json: string, marked: RegExp, texts: readonly string[]): string {
  return json
    .split(marked)
    .reduce((whole, part, index) => whole + (index % 2 === 1 ? (texts[Number(part)] ?? '') : part), '');
}

/** Most long texts are ASCII, and counting bytes is several times faster than searching. */
function isWide(text: string): boolean {
  return Buffer.byteLength(text) !== text.length && wide.test(text);
}

/**
 * A single wide letter makes V8 store the whole joined string in two bytes per character, which is slow to write. So
 * beside megabytes without any, the few wide letters are escaped.
 */
function narrow(json: string): string {
  const escaped = json.replace(everyWide, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  // A part of a two-byte string stays two-byte, so create it again from bytes.
  return Buffer.from(escaped, 'latin1').toString('latin1');
}

/** `JSON.stringify` in pieces: its buffer grows by copying, which takes a quarter of the time for megabytes. */
export function stringJson(text: string): string {
  if (text.length <= pieceChars) return JSON.stringify(text);
  let json = '"';
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + pieceChars, text.length);
    // Surrogate pairs stay together: a lone half would be escaped.
    if (to < text.length && isFirstHalf(text.charCodeAt(to - 1))) to -= 1;
    json += JSON.stringify(text.slice(from, to)).slice(1, -1);
    from = to;
  }
  return `${json}"`;
}

function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

const wide = /[^\0-\xff]/;
const everyWide = /[^\0-\xff]/g;
const longChars = 1024;
const pieceChars = 64 * 1024;
