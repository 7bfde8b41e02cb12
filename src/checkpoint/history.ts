import type { RunDependencies } from '../call/run.ts';
import type { Settings } from '../config/settings.ts';
import type { Tell } from '../confine/history/recorder.ts';
import { reachesMachine } from '../contract/capabilities/capabilities.ts';
import type {
  CommandLine,
  Commands,
  OnFailure,
  RunOptions,
  RunResult,
} from '../contract/capabilities/process.ts';
import { verbatim } from '../contract/text/text.ts';
import { cannotDiscard } from '../ground/effects/landing.ts';
import type { Rooms } from './rooms.ts';

/** Attributes a tool's changes to its call, and adds the history's entries to the audit entry. */
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
    const tell: Tell = (ids, durable) => {
      notes.waitsFor.push(durable);
      notes.facts.history =
        ids.length > listed ? [...ids.slice(0, listed), `${ids.length - listed} more`] : ids;
    };
    return attribute(who, work, tell, notes.noted);
  };
}

/** Records the changes of commands, unless the operator turned that off. */
export function createCommandWatch(rooms: Rooms): (commands: Commands) => Promise<Commands> {
  const { history, mode, roots, process } = rooms.settings;
  const writable = mode === 'read-only' ? [] : roots.filter((root) => root.writable).map(({ path }) => path);
  if (!history.enabled || history.commands === 'off' || writable.length === 0)
    return async (commands) => withoutHistory(commands, process.onFailure);
  return async (commands) => (await rooms.history()).watch(commands, writable, process.onFailure);
}

/** Without history, effects are still judged, and discarded on failure if requested. */
function withoutHistory(commands: Commands, byDefault: OnFailure): Commands {
  const landing = async (line: CommandLine, options: RunOptions) => {
    const { onFailure = byDefault } = options;
    if (options.dryRun) return options;
    const why = options.effects?.isTried
      ? undefined
      : await commands.whyDirect(line, { ...options, onFailure });
    if (!why) return { ...options, onFailure, landing: {} };
    if (options.onFailure === 'discard') throw cannotDiscard(why);
    options.onDirect?.(why);
    return options;
  };
  /** Nothing of it was kept, so it runs again without a layer. */
  const isUnfit = ({ landed }: RunResult, { onFailure, onDirect }: RunOptions) => {
    if (landed?.kind !== 'unfit') return false;
    const why = verbatim(landed.because);
    if (onFailure === 'discard') throw cannotDiscard(why);
    onDirect?.(why);
    return true;
  };
  return {
    ...commands,
    async run(line, options) {
      const result = await commands.run(line, await landing(line, options));
      return isUnfit(result, options) ? commands.run(line, options) : result;
    },
    async attend(line, options) {
      const { handOverMs } = options;
      const attended = await commands.attend(line, { ...(await landing(line, options)), handOverMs });
      return attended.kind === 'ended' && isUnfit(attended.result, options)
        ? commands.attend(line, options)
        : attended;
    },
  };
}

const listed = 20;
