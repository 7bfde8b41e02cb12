import { homedir } from 'node:os';
import { posix } from 'node:path';
import * as z from 'zod';
import { text } from '../contract/text/text.ts';
import { withoutClientArguments } from '../ground/client-arguments.ts';
import { expandBraces } from '../ground/glob/braces.ts';
import { type Fields, HookInputError, type NativeCall } from './event.ts';

/** A client's id for its session or for one use of a tool: never empty, never long. */
export const hookId = z.string().min(1).max(200);

/** The event parsed by its schema; throws an error that names the wrong field. */
export function parsed<Schema extends z.ZodType>(
  schema: Schema,
  event: unknown,
  client: string,
): z.infer<Schema> {
  const result = schema.safeParse(event);
  if (result.success) return result.data;
  const where = result.error.issues[0]?.path.join('.') || 'the event';
  throw new HookInputError(
    text(
      `This is not a valid hook event of ${client}: ${where} is missing or wrong.`,
      `${client} のフックのイベントではありません: ${where} がないか、形が違います。`,
    ),
  );
}

const maxPromptChars = 1 << 16;

/** The person's typed text; undefined for a prompt that is too long to be typed, or in an unknown form. */
export const prompted = z.string().max(maxPromptChars).transform(typed).optional().catch(undefined);

/**
 * Clients also submit, as a prompt, reports of background tasks and other agents, between their own tags. Neither those
 * nor pasted pages are the person's words, so text between tags is left out, up to the last matching end tag, since the
 * text may contain one, too.
 */
function typed(prompt: string): string {
  const ends = new Map<string, number>();
  for (const { 1: name = '', 0: tag, index } of prompt.matchAll(/<\/([a-z][\w.:-]*)\s*>/gi))
    ends.set(name.toLowerCase(), index + tag.length);
  let words = '';
  let from = 0;
  for (const { 1: name = '', index } of prompt.matchAll(/<([a-z][\w.:-]*)/gi)) {
    const end = ends.get(name.toLowerCase()) ?? 0;
    if (index < from || end <= index) continue;
    words += `${prompt.slice(from, index)} `;
    from = end;
  }
  return words + prompt.slice(from);
}

/** Resolves a client's path against the folder in which it works; without a path, that folder. */
export type At = (path?: string) => string;

/** Reads a client's tool as calls of ours; undefined for arguments that this version does not know. */
export type NativeReader = (input: unknown, at: At) => readonly NativeCall[] | undefined;

/** A reader of arguments with exactly these fields: another field might change the meaning. */
export function reading<Shape extends z.ZodRawShape>(
  shape: Shape,
  calls: (input: z.infer<z.ZodObject<Shape>>, at: At) => readonly NativeCall[] | undefined,
): NativeReader {
  return readerOf(z.strictObject(shape), calls as Parameters<typeof readerOf>[1]);
}

/** A reader of these fields alone: others change how something is shown, not what is touched. */
export function regarding<Shape extends z.ZodRawShape>(
  shape: Shape,
  calls: (input: z.infer<z.ZodObject<Shape>>, at: At) => readonly NativeCall[] | undefined,
): NativeReader {
  return readerOf(z.looseObject(shape), calls as Parameters<typeof readerOf>[1]);
}

function readerOf(
  schema: z.ZodType,
  calls: (input: never, at: At) => readonly NativeCall[] | undefined,
): NativeReader {
  return (input, at) => {
    const result = schema.safeParse(input);
    return result.success ? calls(result.data as never, at) : undefined;
  };
}

/** A shell, with the fields that may name where its command begins; the command that runs is ours. */
export function runs(...folders: readonly string[]): NativeReader {
  return regarding({ command: z.string().min(1), ...optional(folders) }, ({ command, ...more }, at) => {
    const folder = valueIn(more, folders);
    return [{ does: 'command', command, ...(folders.length > 0 && { folder: at(folder) }) }];
  });
}

/** A search by `tool` of ours: a call for each folder that the input names in one of these fields. */
export function searches(
  tool: string,
  patterns: readonly string[],
  folders: readonly string[],
): NativeReader {
  return regarding(optional([...patterns, ...folders]), (input: Fields, at) => {
    const pattern = valueIn(input, patterns);
    const named = folders.map((name) => input[name]).filter((each) => each !== undefined);
    const calls = (named.length === 0 ? [undefined] : named).map((each) => {
      const path = (each as string) || undefined;
      if (tool !== 'grep') return looksFor(tool, { pattern, path }, at);
      return [looks(tool, { ...(pattern !== undefined && { pattern }), path: at(path) })];
    });
    return calls.every((each) => each !== undefined) ? calls.flat() : undefined;
  });
}

function optional(names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, z.string().optional()]));
}

/** The first of these fields that is not empty. */
function valueIn(input: Fields, names: readonly string[]): string | undefined {
  return names.map((name) => input[name] as string | undefined).find((value) => value);
}

/** A call that Sekisho only judges. */
export function looks(tool: string, input: Fields): NativeCall {
  return { does: 'look', tool, input };
}

/** The calls of a use of a tool; an unknown tool is represented by its name. */
export function callsOf(
  readers: ReadonlyMap<string, NativeReader>,
  name: string,
  input: unknown,
  folder: string,
): readonly NativeCall[] {
  const at: At = (path) => (path === undefined ? folder : absolute(folder, path));
  const own = withoutClientArguments(input, () => false);
  return readers.get(name)?.(own, at) ?? [{ does: 'unknown', name }];
}

/**
 * A search by name: one call for each folder that the pattern begins in, since braces may name several, and `..` leads
 * to others. Undefined if the pattern could leave its folder in a way that is not parsed.
 */
export function looksFor(
  tool: string,
  { pattern, path }: { readonly pattern?: string | undefined; readonly path?: string | undefined },
  at: At,
): readonly NativeCall[] | undefined {
  if (pattern === undefined) return [looks(tool, { path: at(path) })];
  const all: string[] = [];
  for (const one of expandBraces(pattern.replace(/\\(?=[./~{,}])/g, '')))
    if (all.push(one) > mostPatterns) return undefined;
  const calls = all.map((one): NativeCall | undefined => {
    const call = (from: string, rest: string) => looks(tool, { pattern: rest, path: from });
    if (one.startsWith('~')) return /^~(\/|$)/.test(one) ? call(one, '*') : undefined;
    const [, up = '', rest = ''] = /^((?:\.{1,2}\/+)*(?:\.\.$)?)(.*)$/s.exec(one) ?? [];
    // After a name that may be a link, or among alternatives, `..` may lead anywhere.
    if (/(^|[/(|])\.\.($|[/)|])/.test(rest)) return undefined;
    return call(up.includes('..') ? `${at(path)}/${up.replace(/\/+$/, '')}` : at(path), rest || '*');
  });
  return calls.every((call) => call !== undefined) ? calls : undefined;
}

const mostPatterns = 50;

/** A call in which the client changes one file. */
export function writes(tool: string, path: string, input: Fields): NativeCall {
  return { does: 'write', tool, input: { path, ...input }, path };
}

/** As the client reads it: `~` is the person's home. Keeps `..` and the like, so that the path rules refuse them. */
function absolute(folder: string, path: string): string {
  if (/^~(\/|$)/.test(path)) return homedir() + path.slice(1);
  return posix.isAbsolute(path) || path.startsWith('~') ? path : `${folder}/${path}`;
}
