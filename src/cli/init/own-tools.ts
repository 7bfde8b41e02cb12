import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'jsonc-parser';
import { homeOf } from '../../config/places/state.ts';
import { isRecord } from '../../ground/is-record.ts';
import type { OwnToolsOff } from '../clients.ts';
import { say } from '../common/say.ts';
import { forget, readIfThere, remember, remembered } from './notes.ts';
import { broken, edited, settingsIn } from './settings-file.ts';
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
    say(
      `The client's own tools are off already in ${file}.`,
      `クライアント自身のツールは、${file} で既に無効です。`,
    );
    return true;
  }
  if (!(await showChange({ file, before, after }, isAgreed))) return false;
  mkdirSync(dirname(file), { recursive: true });
  remember(noteName(client), { file, before, after });
  writeFileSync(file, after);
  say(
    `Switched the client's own tools off in ${file}. \`sekisho init --client ${client} --remove\` switches them on again.`,
    `${file} でクライアント自身のツールを無効にしました。\`sekisho init --client ${client} --remove\` で元に戻せます。`,
  );
  return true;
}

/** Restores the settings; if changed since, removes only our names. Undefined if they contain none of ours. */
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
  say(
    `The client's own tools are on again in ${file}.`,
    `${file} でクライアント自身のツールを有効に戻しました。`,
  );
  return true;
}

const noteName = (client: string) => `${client}.own-tools`;

/** The settings with these tools off, in their existing format. */
export function withoutTools(settings: string, { key, names, each }: OwnToolsOff, file: string): string {
  let value: unknown = settingsIn(settings, file);
  for (const name of key) {
    if (value !== undefined && !isRecord(value)) throw broken(file);
    value = value?.[name];
  }
  const isList = each === undefined;
  if (value !== undefined && (isList ? !Array.isArray(value) : !isRecord(value))) throw broken(file);
  if (!isList)
    return names.reduce(
      (written, name) =>
        isRecord(value) && value[name] === each ? written : edited(written, [...key, name], each),
      settings,
    );
  if (!Array.isArray(value)) return edited(settings, key, names);
  return names.reduce(
    (written, name) => (value.includes(name) ? written : edited(written, [...key, -1], name, true)),
    settings,
  );
}

/** The settings without our names. If it is unknown whether we wrote them (`isOurs`), only if all of them are there. */
function withTools(settings: string, { key, names, each }: OwnToolsOff, isOurs: boolean): string {
  const held: unknown = parse(settings, [], { allowTrailingComma: true });
  const value = key.reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), held);
  const has = (name: string) =>
    Array.isArray(value)
      ? value.includes(name)
      : isRecord(value) && each !== undefined && value[name] === each;
  if (!(isOurs ? names.some(has) : names.every(has))) return settings;
  const left = Array.isArray(value)
    ? value.filter((name) => !names.includes(String(name)))
    : Object.fromEntries(
        Object.entries(Object(value)).filter(([name]) => !names.includes(name) || !has(name)),
      );
  const isEmpty = Object.keys(left).length === 0;
  return edited(settings, key, isEmpty ? undefined : left);
}
