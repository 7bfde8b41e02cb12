/** A tool as a client passes it on to the model. */
export interface OfferedTool {
  readonly name: string;
  /** The whole entry as it stands in the request. */
  readonly json: string;
}

/** What the model is handed in one request, whatever the API. */
export interface Turn {
  readonly tools: readonly OfferedTool[];
  /** Results of tools so far, oldest first, each as the text that the model reads. */
  readonly results: readonly string[];
}

/** What the model says next. */
export type Say =
  | { readonly tool: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly text: string };

/** One provider's API: how a request is read, and how an answer is written. */
export interface Dialect {
  readonly name: string;
  speaks(path: string): boolean;
  read(body: Json): Turn;
  /** Server-sent events, or one JSON document where the request wants no stream. */
  write(say: Say, body: Json, path: string): { readonly type: string; readonly body: string };
}

// What comes over the wire is looked at, never trusted; the shapes are the providers'.
// biome-ignore lint/suspicious/noExplicitAny: foreign JSON, read field by field.
export type Json = any;

export function events(list: readonly (object | string)[], named = false): string {
  return list
    .map((data) => {
      const name = named && typeof data === 'object' ? `event: ${(data as { type?: string }).type}\n` : '';
      return `${name}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
    })
    .join('');
}

/** Text of a message or result, whether it is a string or a list of parts. */
export function textOf(content: Json): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined ? '' : JSON.stringify(content);
  return content
    .map((part) => (typeof part?.text === 'string' ? part.text : JSON.stringify(part)))
    .join('\n');
}

export function json(value: object): { readonly type: string; readonly body: string } {
  return { type: 'application/json', body: JSON.stringify(value) };
}
