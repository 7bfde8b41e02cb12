import type { RunDependencies } from '../call/run.ts';
import type { Settings } from '../config/settings.ts';
import { reachesMachine } from '../contract/capabilities/capabilities.ts';
import type { CommandHistory } from '../contract/capabilities/command-life.ts';
import { defer } from '../ground/waiting/defer.ts';
import { once } from '../ground/waiting/once.ts';
import type { Tell } from '../history/recorder.ts';
import type { Rooms } from './rooms.ts';

/** Attributes a tool's changes to its call, and adds the history's entries to the audit entry. */
export function createAttribution(settings: Settings, rooms: Rooms): RunDependencies['attributed'] {
  return async (permit, notes, work) => {
    const { tool, caller } = permit;
    const reaches = tool.uses.some(reachesMachine);
    // Programs change files for the session, too.
    const isProgram = ['commands', 'pipelines'].some((name) => tool.uses.some((each) => each === name));
    const { readOnly } = tool.annotations;
    if (!settings.history.enabled || !(reaches || (tool.server !== undefined && !readOnly))) return work();
    const { recorder } = await rooms.history();
    if (readOnly)
      return recorder.known.reading({ sessionId: caller.sessionId, paths: permit.risk?.reads ?? [] }, work);
    using _ = defer(
      isProgram || tool.server !== undefined ? recorder.known.around(caller.sessionId) : () => {},
    );
    if (!reaches) return await work();
    const who = {
      principal: caller.principal,
      sessionId: caller.sessionId,
      tool: tool.name,
      auditId: notes.id,
    };
    const tell: Tell = (ids, durable) => {
      notes.waitsFor.push(durable);
      notes.facts.history =
        ids.length > listed ? [...ids.slice(0, listed), `${ids.length - listed} more`] : ids;
    };
    return await recorder.attribute(who, work, tell, notes.noted, (words) => notes.told.push(words));
  };
}

/** Keeps what commands change, unless the operator turned that off. */
export function createCommandHistory(rooms: Rooms): () => Promise<CommandHistory | undefined> {
  const { history, mode, roots } = rooms.settings;
  const writable = mode === 'read-only' ? [] : roots.filter((root) => root.writable).map(({ path }) => path);
  if (!history.enabled || history.commands === 'off' || writable.length === 0) return async () => undefined;
  return once(async () => (await rooms.history()).ofCommands(writable));
}

const listed = 20;
