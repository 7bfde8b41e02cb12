import { isRecord } from '../../ground/is-record.ts';
import type { HookedClient, HookedEvent } from './hooked-clients.ts';
import { broken, edited, type Json, settingsIn } from './settings-file.ts';

/** The settings with our entries at the end of each event's, in place of older ones; undefined if they are there. */
export function withEntries(settings: string, { client, name, commands, file }: Entries): string | undefined {
  const held = hooksIn(settings, file);
  const missing = client.events.filter(
    (each) => !JSON.stringify(held[each.event] ?? []).includes(JSON.stringify(commandOf(each, commands))),
  );
  if (missing.length === 0) return undefined;
  let words = withoutEntries(settings, client, name, file);
  for (const each of client.events) {
    const { event, matcher, more } = each;
    const command = commandOf(each, commands);
    const [which, hook] = [matcher !== undefined && { matcher }, { type: 'command', command, ...more }];
    const entry = client.isFlat ? { ...which, ...hook } : { ...which, hooks: [hook] };
    const isList = Array.isArray(hooksIn(words, file)[event]);
    words = isList
      ? edited(words, ['hooks', event, -1], entry, true)
      : edited(words, ['hooks', event], [entry]);
  }
  return words;
}

interface Entries {
  readonly client: HookedClient;
  readonly name: string;
  readonly commands: Commands;
  readonly file: string;
}

interface Commands {
  /** For each use of a tool: must be quick, and refuses on any failure. */
  readonly ofTools: string;
  /** For the end of a turn and the like, where a refusal would be an order to continue. */
  readonly ofTurns: string;
}

function commandOf({ matcher }: HookedEvent, { ofTools, ofTurns }: Commands): string {
  return matcher === undefined ? ofTurns : ofTools;
}

/** The settings without any hook that starts us for this client, and without containers that are then empty. */
export function withoutEntries(settings: string, client: HookedClient, name: string, file: string): string {
  let words = settings;
  for (const { event } of client.events) {
    const entries = hooksIn(words, file)[event];
    if (!Array.isArray(entries)) continue;
    const others = entries.map((entry, at) => ({ entry, at })).filter(({ entry }) => isOurs(entry, name));
    for (const { at } of others.toReversed()) words = edited(words, ['hooks', event, at], undefined);
    if (others.length > 0 && others.length === entries.length)
      words = edited(words, ['hooks', event], undefined);
  }
  if (words !== settings && Object.keys(hooksIn(words, file)).length === 0)
    words = edited(words, ['hooks'], undefined);
  return words;
}

/** The commands of our entries by event; the first of each. */
export function ownCommandsIn(
  settings: string,
  client: HookedClient,
  name: string,
  file: string,
): ReadonlyMap<string, string> {
  const held = hooksIn(settings, file);
  return new Map(
    client.events.flatMap(({ event }) => {
      const entries = Array.isArray(held[event]) ? held[event] : [];
      const entry = entries.find((each) => isOurs(each, name));
      return entry ? [[event, commandIn(entry) ?? ''] as const] : [];
    }),
  );
}

/** An entry in our form: one hook, which starts us for this client. */
function isOurs(entry: unknown, name: string): boolean {
  const command = commandIn(entry);
  if (command === undefined) return false;
  return command.includes(` hook ${name} --config `) || command.includes(`/sekisho/hooks/${name}-hook`);
}

function commandIn(entry: unknown): string | undefined {
  const { hooks = [entry] } = (entry ?? {}) as { hooks?: unknown };
  if (!Array.isArray(hooks) || hooks.length !== 1) return undefined;
  const { command } = (hooks[0] ?? {}) as { command?: unknown };
  return typeof command === 'string' ? command : undefined;
}

function hooksIn(settings: string, file: string): Json {
  const { hooks = {} } = settingsIn(settings, file);
  if (!isRecord(hooks)) throw broken(file);
  return hooks;
}
