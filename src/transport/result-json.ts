import { randomUUID } from 'node:crypto';
import { isJsonOf } from '../contract/json-block.ts';
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
    return JSON.stringify(marked).split(markJson).join(JSON.stringify(text));
  };
}

const longChars = 1024;
