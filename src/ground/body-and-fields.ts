import type { ContentBlock } from '../contract/call.ts';
import { jsonBlock } from '../contract/text/json-block.ts';

/** A long text of an output as it is, with real line breaks, and behind it the other fields as JSON. */
export function bodyAndFields(
  output: Readonly<Record<string, unknown>>,
  body: string,
): readonly ContentBlock[] {
  const { [body]: text, ...fields } = output;
  const rest = jsonBlock(fields);
  return typeof text === 'string' && text !== '' ? [{ type: 'text', text }, rest] : [rest];
}
