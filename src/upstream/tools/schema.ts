import { type Text, text } from '../../contract/text/text.ts';
import { isWhole } from '../../ground/exact-numbers.ts';

interface SchemaProblem {
  /** Its path, `filter.0.name`; empty for the whole. */
  readonly field: string;
  readonly message: Text;
}

type Schema = Readonly<Record<string, unknown>>;

const maxDepth = 16;
/** Keywords that combine schemas, which then determine the allowed properties. */
const combining = '$ref $dynamicRef anyOf oneOf allOf not if patternProperties dependentSchemas'.split(' ');

/**
 * Validates arguments against a tool's schema by the keywords that all dialects interpret alike: type, enum, const,
 * required, properties, items, additionalProperties. If the schema names properties, unnamed ones are refused: models
 * know no others, so an extra one was smuggled in.
 */
export function schemaProblem(
  value: unknown,
  schema: unknown,
  field = '',
  depth = 0,
): SchemaProblem | undefined {
  if (!isRecord(schema) || depth > maxDepth) return undefined;
  const wrong = typeProblem(value, schema) ?? choiceProblem(value, schema);
  if (wrong) return { field, message: wrong };
  if (Array.isArray(value)) {
    return firstOf(value.entries(), ([place, each]) =>
      schemaProblem(each, schema.items, join(field, String(place)), depth + 1),
    );
  }
  if (!isRecord(value)) return undefined;
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const missing = required.find((name) => typeof name === 'string' && !Object.hasOwn(value, name));
  if (missing !== undefined)
    return { field: join(field, String(missing)), message: text('is required', '必須です') };
  const isClosed = closed(schema, properties, depth);
  return firstOf(Object.entries(value), ([name, each]) => {
    const path = join(field, name);
    if (Object.hasOwn(properties, name)) return schemaProblem(each, properties[name], path, depth + 1);
    if (required.includes(name)) return undefined;
    return isClosed ? { field: path, message: unnamed(Object.keys(properties)) } : undefined;
  });
}

function closed(schema: Schema, properties: Schema, depth: number): boolean {
  if (schema.additionalProperties === false) return !combining.some((key) => Object.hasOwn(schema, key));
  if (depth > 0 || schema.additionalProperties !== undefined) return false;
  return Object.keys(properties).length > 0 && !combining.some((key) => Object.hasOwn(schema, key));
}

function typeProblem(value: unknown, { type }: Schema): Text | undefined {
  const types = (Array.isArray(type) ? type : [type]).filter((each) => typeof each === 'string');
  if (types.length === 0 || types.some((each) => !known.has(each) || known.get(each)?.(value)))
    return undefined;
  const named = types.join(' | ');
  return text(`must be of type ${named}`, `${named} 型でなければなりません`);
}

const known = new Map<string, (value: unknown) => boolean>([
  ['string', (value) => typeof value === 'string'],
  ['number', (value) => typeof value === 'number' || isWhole(value)],
  ['integer', (value) => Number.isInteger(value) || isWhole(value)],
  ['boolean', (value) => typeof value === 'boolean'],
  ['null', (value) => value === null],
  ['array', (value) => Array.isArray(value)],
  ['object', isRecord],
]);

/** Choices as JSON, cached per list: it may be long, and is compared with each value of an array. */
const written = new WeakMap<readonly unknown[], ReadonlySet<string>>();

function choiceProblem(value: unknown, schema: Schema): Text | undefined {
  const choices = Object.hasOwn(schema, 'const') ? [schema.const] : schema.enum;
  if (!Array.isArray(choices)) return undefined;
  let json = written.get(choices);
  if (!json) {
    json = new Set(choices.map((choice) => JSON.stringify(choice)));
    written.set(choices, json);
  }
  if (json.has(JSON.stringify(value))) return undefined;
  const shown = choices.slice(0, 10).map((choice) => JSON.stringify(choice));
  return text(`must be one of ${shown.join(', ')}`, `次のいずれかでなければなりません: ${shown.join('、')}`);
}

function unnamed(names: readonly string[]): Text {
  const shown = names.slice(0, 20);
  return text(
    `is not an argument of this tool; it has ${shown.join(', ')}`,
    `このツールの引数ではありません。使えるもの: ${shown.join('、')}`,
  );
}

function firstOf<T>(
  items: Iterable<T>,
  look: (item: T) => SchemaProblem | undefined,
): SchemaProblem | undefined {
  for (const item of items) {
    const problem = look(item);
    if (problem) return problem;
  }
  return undefined;
}

function join(field: string, name: string): string {
  return field === '' ? name : `${field}.${name}`;
}

function isRecord(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isWhole(value);
}
