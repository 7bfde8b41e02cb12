import type { ContentBlock, Reply } from '../contract/call.ts';
import type { Locale } from '../contract/text/text.ts';
import type { Tool } from '../contract/tool/tool.ts';
import type { JsonSchema } from '../contract/tool/tool-card.ts';
import { isRecord } from '../ground/is-record.ts';
import { modelSchema } from '../ground/model-schema.ts';
import { errorWords, reasonOf } from '../ground/text/error-words.ts';
import type { Params } from './jsonrpc.ts';
import { inputRequestsOf } from './question.ts';
import type { ReplyForm } from './reply-form.ts';
import { createResultJson } from './result-json.ts';
import { type Era, metaKey } from './revision.ts';

/** Encodes results; on 2026-07-28 each includes its type and the server's name. */
export type ResultEncoder = ReturnType<typeof createResultEncoder>;

export function createResultEncoder(serverInfo: Params) {
  const jsonOf = createResultJson();
  return {
    encode(era: Era, result: Params) {
      if (era === 'legacy') return jsonOf(result);
      return jsonOf({
        ...result,
        resultType: result.resultType ?? 'complete',
        _meta: { ...(isRecord(result._meta) && result._meta), [metaKey.serverInfo]: serverInfo },
      });
    },
  };
}

/** A reply as a result of `tools/call`. Both the text and the structured content are complete. */
export function callResult(reply: Reply, locale: Locale, form: ReplyForm): Params {
  switch (reply.kind) {
    case 'output':
      return {
        content: reply.content.map((block) => spokenIn(form.revision, block)),
        // Data with a proxied server's failure need not match its schema, which some clients enforce.
        ...(form.structured && !reply.isError && reply.structured && { structuredContent: reply.structured }),
        ...(reply.isError && { isError: true }),
        ...(form.meta && reply.meta && { _meta: reply.meta }),
      };
    case 'error':
      return {
        content: [
          { type: 'text', text: textOf(reply) },
          ...(reply.quoted ?? []).map((block) => spokenIn(form.revision, block)),
        ],
        ...(form.structured && { structuredContent: reply.structured }),
        isError: true,
        ...(form.meta && reply.meta && { _meta: reply.meta }),
      };
    case 'question':
      return {
        resultType: 'input_required',
        inputRequests: inputRequestsOf(reply.question, locale),
        requestState: reply.question.state,
      };
  }
}

/** Clients that show only the text would hide the reason by which a pipeline's errors differ. */
function textOf(reply: Extract<Reply, { readonly kind: 'error' }>): string {
  return reasonOf(reply.structured.error) === undefined ? reply.text : errorWords(reply);
}

/** A block as text if the client's revision lacks its type. */
function spokenIn(revision: string | undefined, block: ContentBlock): ContentBlock {
  if (revision === undefined || revision >= (blockSince.get(block.type) ?? '')) return block;
  if (block.type === 'resource_link') return { type: 'text', text: `${block.name}: ${block.uri}` };
  return block.type === 'audio' ? { type: 'text', text: `[${block.mimeType}]` } : block;
}

const blockSince = new Map([
  ['audio', '2025-03-26'],
  ['resource_link', '2025-06-18'],
]);

/** A tool for `tools/list`. Clients without structured content get no output schema. */
export function toolEntry(tool: Tool, locale: Locale, era: Era, form: ReplyForm): Params {
  const { readOnly, destructive, idempotent, openWorld } = tool.annotations;
  const described = form.structured ? tool.outputSchema(locale) : undefined;
  const outputSchema = described && admittingErrors(described, era);
  const description = tool.description[locale];
  const inputSchema = tool.inputSchema(locale);
  return {
    name: tool.name,
    title: tool.title[locale],
    description: tool.unavailable ? `${description} (${tool.unavailable[locale]})` : description,
    inputSchema:
      tool.server === undefined
        ? modelSchema(inputSchema, locale, { closed: form.structured, whole: !form.plainSchemas })
        : withoutHeaderMarks(inputSchema),
    ...(outputSchema && { outputSchema }),
    annotations: {
      readOnlyHint: readOnly,
      destructiveHint: destructive,
      idempotentHint: idempotent,
      openWorldHint: openWorld,
    },
    ...(form.defers && tool.everyday && { _meta: { 'anthropic/alwaysLoad': true } }),
  };
}

/** A remote server may want arguments repeated in headers: only its caller, Sekisho, needs these marks. */
function withoutHeaderMarks(schema: JsonSchema): JsonSchema {
  const isMark = (key: string, value: unknown) => key === 'x-mcp-header' && typeof value === 'string';
  return JSON.parse(JSON.stringify(schema, (key, value) => (isMark(key, value) ? undefined : value)));
}

/**
 * An output schema that errors match too: SDKs up to 1.32 validate the structured content of errors, and then show
 * their own message instead of ours. Undefined if that would require understanding the schema, as for some proxied
 * tools: a tool need not have one.
 */
function admittingErrors(schema: JsonSchema, era: Era): JsonSchema | undefined {
  // Before 2026-07-28, an output schema had to describe an object.
  if (schema.type !== 'object') return era === 'modern' ? schema : undefined;
  const { properties = {}, required = [] } = schema;
  const isPlain = Object.keys(schema).every((key) => plainKeys.has(key));
  if (!isPlain || !isRecord(properties) || Object.hasOwn(properties, 'error')) return undefined;
  const { required: _, ...rest } = schema;
  return {
    ...rest,
    properties: { ...properties, error: { type: 'object' } },
    anyOf: [{ required }, { required: ['error'] }],
  };
}

/** These keywords only say which properties the object has. */
const plainKeys = new Set([
  ...['$schema', '$id', '$defs', 'definitions', 'title', 'description'],
  ...['type', 'properties', 'required', 'additionalProperties'],
]);
