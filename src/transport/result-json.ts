import { randomUUID } from 'node:crypto';
import { isObject, type Params } from './jsonrpc.ts';

/**
 * The JSON of a result. A read returns the same long text twice, for models and as data: it is escaped once, which is
 * half of what such a call costs to encode.
 */
export function createResultJson(): (result: Params) => string {
  // Stands for the text until it is put in; nobody outside sees it, so nobody can send it.
  const mark = randomUUID();
  const markJson = JSON.stringify(mark);

  return (result) => {
    const { content, structuredContent } = result;
    const block: unknown = Array.isArray(content) && content.length === 1 ? content[0] : undefined;
    if (!isObject(block) || !isObject(structuredContent)) return JSON.stringify(result);
    const { text } = block;
    if (typeof text !== 'string' || text.length < longChars) return JSON.stringify(result);
    const key = Object.keys(structuredContent).find((name) => structuredContent[name] === text);
    if (key === undefined) return JSON.stringify(result);
    const marked = {
      ...result,
      content: [{ ...block, text: mark }],
      structuredContent: { ...structuredContent, [key]: mark },
    };
    return JSON.stringify(marked).split(markJson).join(JSON.stringify(text));
  };
}

const longChars = 1024;
