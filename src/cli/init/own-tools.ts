import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { applyEdits, modify, type ParseError, parse } from 'jsonc-parser';
import { homeOf } from '../../config/state.ts';
import { ConfigError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import type { OwnToolsOff } from '../clients.ts';
import { say } from '../common/say.ts';
import { formatOf } from './hook-entries.ts';
import { forget, readIfThere, remember, remembered } from './notes.ts';
import { showChange } from './show-change.ts';

/** Switches a client's own tools off in its settings, after showing the change and asking. */
export async function switchOff(
  client: string,
  off: OwnToolsOff,
  folder: string,
  isAgreed: boolean,
): Promise<boolean> {
  const file = join(off.isInHome ? homeOf(process.env) : folder, off.file);
  const before = readIfThere(file);
  const after = withoutTools(before?.trim() ? before : '{}\n', off, file);
  if (after === before) {
    say(words.areOff(file));
    return true;
  }
  if (!(await showChange({ file, before, after }, isAgreed))) return false;
  mkdirSync(dirname(file), { recursive: true });
  remember(noteName(client), { file, before, after });
  writeFileSync(file, after);
  say(words.off(file, client));
  return true;
}

/**
 * Restores the settings; if they were changed since, or our note is gone, removes our names and leaves the rest.
 * Undefined if they contain no name of ours.
 */
export async function switchOn(
  client: string,
  off: OwnToolsOff | undefined,
  folder: string,
  isAgreed: boolean,
): Promise<boolean | undefined> {
  const known = remembered(noteName(client));
  const file = known?.file ?? (off && join(off.isInHome ? homeOf(process.env) : folder, off.file));
  if (file === undefined) return undefined;
  const now = readIfThere(file);
  const before =
    known && now === known.after ? known.before : off && now && withTools(now, off, known !== undefined);
  if (before === now) return undefined;
  if (!(await showChange({ file, before: now, after: before }, isAgreed))) return false;
  if (before === undefined) rmSync(file);
  else writeFileSync(file, before);
  forget(noteName(client));
  say(words.on(file));
  return true;
}

const noteName = (client: string) => `${client}.own-tools`;

/** The settings with these tools off, in their existing format. */
export function withoutTools(settings: string, { key, names, each }: OwnToolsOff, file: string): string {
  const problems: ParseError[] = [];
  const held: unknown = parse(settings, problems, { allowTrailingComma: true });
  const along = key.map((_, depth) =>
    key.slice(0, depth).reduce<unknown>((at, name) => (isObject(at) ? at[name] : at), held),
  );
  const isWalkable = along.every((each, depth) => isObject(each) || (depth > 0 && each === undefined));
  if (problems.length > 0 || !isWalkable) throw new ConfigError(words.broken(file));
  const value = key.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), held);
  const isList = each === undefined;
  if (value !== undefined && (isList ? !Array.isArray(value) : !isObject(value)))
    throw new ConfigError(words.broken(file));
  const edit = (words: string, path: readonly (string | number)[], to: unknown, isArrayInsertion = false) =>
    applyEdits(words, modify(words, [...path], to, { formattingOptions: formatOf(words), isArrayInsertion }));
  if (!isList)
    return names.reduce(
      (written, name) =>
        isObject(value) && value[name] === each ? written : edit(written, [...key, name], each),
      settings,
    );
  if (!Array.isArray(value)) return edit(settings, key, names);
  return names.reduce(
    (written, name) => (value.includes(name) ? written : edit(written, [...key, -1], name, true)),
    settings,
  );
}

/** The settings without our names. If it is unknown whether we wrote them (`isOurs`), only if all of them are there. */
function withTools(settings: string, { key, names, each }: OwnToolsOff, isOurs: boolean): string {
  const held: unknown = parse(settings, [], { allowTrailingComma: true });
  const value = key.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), held);
  const has = (name: string) =>
    Array.isArray(value)
      ? value.includes(name)
      : isObject(value) && each !== undefined && value[name] === each;
  if (!(isOurs ? names.some(has) : names.every(has))) return settings;
  const left = Array.isArray(value)
    ? value.filter((name) => !names.includes(String(name)))
    : Object.fromEntries(
        Object.entries(Object(value)).filter(([name]) => !names.includes(name) || !has(name)),
      );
  const isEmpty = Object.keys(left).length === 0;
  const formattingOptions = formatOf(settings);
  return applyEdits(settings, modify(settings, [...key], isEmpty ? undefined : left, { formattingOptions }));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const words = {
  areOff: (file: string) =>
    text(
      `The client's own tools are off already in ${file}.`,
      `クライアント自身のツールは、${file} で既に無効です。`,
    ),
  off: (file: string, client: string) =>
    text(
      `Switched the client's own tools off in ${file}. \`sekisho init --client ${client} --remove\` switches them on again.`,
      `${file} でクライアント自身のツールを無効にしました。\`sekisho init --client ${client} --remove\` で元に戻せます。`,
    ),
  on: (file: string) =>
    text(
      `The client's own tools are on again in ${file}.`,
      `${file} でクライアント自身のツールを有効に戻しました。`,
    ),
  broken: (file: string) =>
    text(
      `${file} is not valid for the client, so it was left unchanged. Fix it first.`,
      `${file} はクライアントが読める形ではないため、変更していません。先に直してください。`,
    ),
} as const;
