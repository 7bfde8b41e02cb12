import type { JsonSchema } from '../contract/tool/tool-card.ts';
import { isObject } from './jsonrpc.ts';
import type { Era } from './revision.ts';

/**
 * An output schema that an error passes as well: SDKs up to 1.32 hold the structured content of errors to it, and
 * showed their own complaint instead of our words. Undefined where that cannot be said without reading the schema,
 * as in some of proxied servers': a tool need not have one.
 */
export function admittingErrors(schema: JsonSchema, era: Era): JsonSchema | undefined {
  // Before 2026-07-28 an output schema had to describe an object.
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

/** None of these says more of the whole than which properties it has. */
const plainKeys = new Set([
  ...['$schema', '$id', '$defs', 'definitions', 'title', 'description'],
  ...['type', 'properties', 'required', 'additionalProperties'],
]);
