import { type Locale, text } from '../contract/text/text.ts';
import type { JsonSchema } from '../contract/tool/tool-card.ts';

/**
 * A tool's input schema for models; calls are validated against the whole schema. `whole` keeps defaults, bounds and
 * nulls as fields. Otherwise they are moved to the description: some model providers drop, rewrite or refuse them, each
 * in its own way. `closed` says that there are no other arguments, which providers require for strict calls.
 */
export interface SchemaForm {
  readonly closed: boolean;
  readonly whole: boolean;
}

export function modelSchema(schema: JsonSchema, locale: Locale, form: SchemaForm): JsonSchema {
  const { closed, whole } = form;
  const inner = (part: unknown) => modelSchema(part as JsonSchema, locale, form);
  const { type, properties, required = [], items, anyOf, additionalProperties } = schema;
  const values = schema.enum;
  const description = whole ? (schema.description ?? '') : descriptionOf(schema, locale);
  return {
    ...(type !== undefined && { type }),
    ...(description !== '' && { description }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(([name, property]) => {
          const mayBeLeftOut = !whole && !(required as readonly string[]).includes(name);
          return [name, inner(mayBeLeftOut ? withoutNull(property) : property)];
        }),
      ),
    }),
    ...((required as readonly string[]).length > 0 && { required }),
    ...(items !== undefined && { items: inner(items) }),
    ...(values !== undefined && { enum: values }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map(inner) }),
    ...(whole && fieldsOf(schema)),
    ...(closed && additionalProperties !== undefined && { additionalProperties }),
  };
}

function fieldsOf({ default: given, minimum, maximum }: JsonSchema): JsonSchema {
  return {
    ...(given !== undefined && { default: given }),
    ...(typeof minimum === 'number' && minimum > Number.MIN_SAFE_INTEGER && { minimum }),
    ...(typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER && { maximum }),
  };
}

/** For an optional argument, null means the same as leaving it out, so it is not mentioned. */
function withoutNull(property: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = property;
  if (!Array.isArray(anyOf)) return property;
  const others = anyOf.filter(({ type }) => type !== 'null');
  return others.length === 1 ? { ...others[0], ...rest } : property;
}

function descriptionOf(schema: JsonSchema, locale: Locale): string {
  const said = typeof schema.description === 'string' ? schema.description : '';
  return [said, factsOf(schema, locale)].filter((part) => part !== '').join(' ');
}

/** Only facts that cannot be guessed: not that a switch is off, or that a list is empty. */
function factsOf({ default: given, minimum, maximum }: JsonSchema, locale: Locale): string {
  const isTold = typeof given === 'number' ? given > 0 : typeof given === 'string' && given !== '.';
  const facts = [
    ...(isTold ? [text(`default ${given}`, `既定 ${given}`)] : []),
    ...(typeof minimum === 'number' && minimum > 1 ? [text(`min ${minimum}`, `最小 ${minimum}`)] : []),
    ...(typeof maximum === 'number' && maximum < neverMet ? [text(`max ${maximum}`, `最大 ${maximum}`)] : []),
  ];
  return facts.length === 0 ? '' : `(${facts.map((fact) => fact[locale]).join(', ')})`;
}

/** Larger values are no practical bound. */
const neverMet = 1_000_000;
