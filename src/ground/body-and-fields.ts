import type { ContentBlock } from '../contract/call.ts';
import { jsonBlock } from '../contract/text/json-block.ts';

/** A long text of an output with real line breaks, followed by the other fields as JSON. */
export function bodyAndFields(
  output: Readonly<Record<string, unknown>>,
  body: string,
): readonly ContentBlock[] {
  const { [body]: text, ...fields } = output;
  const rest = jsonBlock(fields);
  return typeof text === 'string' && text !== '' ? [{ type: 'text', text }, rest] : [rest];
}
