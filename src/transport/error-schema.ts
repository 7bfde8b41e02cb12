import type { JsonSchema } from '../contract/tool/tool-card.ts';
import { isObject } from './jsonrpc.ts';
import type { Era } from './revision.ts';

/**
 * An output schema that errors match too: SDKs up to 1.32 validate the structured content of errors, and then show
 * their own message instead of ours. Undefined if that would require understanding the schema, as for some proxied
 * tools: a tool need not have one.
 */
export function admittingErrors(schema: JsonSchema, era: Era): JsonSchema | undefined {
  // Before 2026-07-28, an output schema had to describe an object.
  if (schema.type !== 'object') return era === 'modern' ? schema : undefined;
  const { properties = {}, required = [] } = schema;
  const isPlain = Object.keys(schema).every((key) => plainKeys.has(key));
  if (!isPlain || !isObject(properties) || Object.hasOwn(properties, 'error')) return undefined;
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
