import type { RunDependencies } from '../call/run.ts';
import type { Settings } from '../config/settings.ts';
import { reachesMachine } from '../contract/capabilities/capabilities.ts';
import type { CommandLine, Commands, OnFailure, RunOptions } from '../contract/capabilities/process.ts';
import { cannotDiscard } from '../ground/effects/landing.ts';
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
  const { history, mode, roots, process } = rooms.settings;
  const writable = mode === 'read-only' ? [] : roots.filter((root) => root.writable).map(({ path }) => path);
  if (!history.enabled || history.commands === 'off' || writable.length === 0)
    return async (commands) => withoutHistory(commands, process.onFailure);
  return async (commands) => (await rooms.history()).watch(commands, writable, process.onFailure);
}

/** Nothing is kept of what commands change; what a failed one wrote can be thrown away all the same. */
function withoutHistory(commands: Commands, byDefault: OnFailure): Commands {
  const landing = async (line: CommandLine, options: RunOptions) => {
    const { onFailure = byDefault } = options;
    if (onFailure === 'keep' || options.dryRun) return options;
    const why = await commands.whyDirect(line, { ...options, onFailure });
    if (!why) return { ...options, onFailure, landing: {} };
    if (options.onFailure) throw cannotDiscard(why);
    return options;
  };
  return {
    ...commands,
    run: async (line, options) => commands.run(line, await landing(line, options)),
    attend: async (line, options) =>
      commands.attend(line, { ...(await landing(line, options)), handOverMs: options.handOverMs }),
  };
}

const listed = 20;
