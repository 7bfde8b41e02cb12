import type { RunDependencies } from '../call/run.ts';
import type { Settings } from '../config/settings.ts';
import { reachesMachine } from '../contract/capabilities/capabilities.ts';
import type { Commands } from '../contract/capabilities/process.ts';
import type { Rooms } from './rooms.ts';

/** Lends a call its name for what it changes, and puts the history's entries into its audit entry. */
export function createAttribution(settings: Settings, rooms: Rooms): RunDependencies['attributed'] {
  return async (permit, notes, work) => {
    const { tool, caller } = permit;
    if (!settings.history.enabled || tool.annotations.readOnly || !tool.uses.some(reachesMachine))
      return work();
    const { attribute } = await rooms.history();
    const who = {
      principal: caller.principal,
      sessionId: caller.sessionId,
      tool: tool.name,
      auditId: notes.id,
    };
    return attribute(who, work, (ids, durable) => {
      notes.waitsFor.push(durable);
      notes.facts.history =
        ids.length > listed ? [...ids.slice(0, listed), `${ids.length - listed} more`] : ids;
    });
  };
}

/** Has what commands change written down, unless the operator turned that off. */
export function createCommandWatch(rooms: Rooms): (commands: Commands) => Promise<Commands> {
  const { history, mode, roots } = rooms.settings;
  const writable = mode === 'read-only' ? [] : roots.filter((root) => root.writable).map(({ path }) => path);
  if (!history.enabled || history.commands === 'off' || writable.length === 0)
    return async (commands) => commands;
  return async (commands) => (await rooms.history()).watch(commands, writable);
}

const listed = 20;
