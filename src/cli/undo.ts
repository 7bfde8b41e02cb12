import type { Flags } from '../config/load.ts';
import type { UndoSelection, UndoStep } from '../contract/capabilities/history.ts';
import { ConfigError } from '../contract/error.ts';
import { cleanLine } from '../contract/text/clean-text.ts';
import { sizeOf } from '../operator/describe-change.ts';
import { counted } from './common/counted.ts';
import { durationMs } from './common/duration.ts';
import { say } from './common/say.ts';
import { wholeEntryId } from './common/whole-id.ts';
import { withOperator } from './common/with-operator.ts';

type Options = Readonly<Record<string, unknown>>;

/** Takes changes back. Exit code 1 where it stopped before the end, or there was nothing to take back. */
export function undo(id: string | undefined, flags: Flags, options: Options): Promise<number> {
  const given = orderOf(id, options);
  return withOperator(flags, async ({ acts, checkpoint }) => {
    const { history } = await checkpoint.store();
    const selection = 'id' in given ? { id: await wholeEntryId(given.id, history) } : given;
    const { steps, sessionId, stopped } = await acts.undo(selection, {
      force: options.force === true,
      tell: (step) => say(options.json ? JSON.stringify(step) : describe(step)),
    });
    const undone = steps.filter(({ outcome }) => outcome === 'undone').length;
    if (!options.json) {
      const entry = 'id' in selection ? await history.get(selection.id) : undefined;
      say(steps.length === 0 ? nothingFor(selection, entry?.undoneBy) : summary(undone, stopped, sessionId));
    }
    return stopped || steps.length === 0 ? 1 : 0;
  });
}

function orderOf(id: string | undefined, { session, since }: Options): UndoSelection {
  if ([id, session, since].filter((given) => given !== undefined).length !== 1) {
    throw new ConfigError(
      'undo takes one of: an entry, --session, --since. `sekisho history` lists entries.',
    );
  }
  if (id !== undefined) return { id };
  if (session !== undefined) return { sessionId: String(session) };
  return { sinceMs: Date.now() - durationMs(String(since), '--since') };
}

function describe({ entry, ...step }: UndoStep): string {
  const path = cleanLine(entry.path);
  switch (step.outcome) {
    case 'undone':
      return `${entry.id}  ${path}: ${sizeOf(entry.after)} → ${sizeOf(entry.before)}`;
    case 'already':
      return `${entry.id}  ${path}: is as it was`;
    case 'lost':
      return `${entry.id}  ${path}: its former content is not kept`;
    default:
      return `${entry.id}  ${path}: ${conflictOf(entry, step as Conflict)}`;
  }
}

type Conflict = Extract<UndoStep, { outcome: 'conflict' }>;

function conflictOf({ after }: UndoStep['entry'], { found, because }: Omit<Conflict, 'entry'>): string {
  if (because) return `cannot be taken back. ${cleanLine(because.en)}`;
  return `changed since. The change left ${sizeOf(after)}, now there is ${sizeOf(found)}`;
}

function nothingFor(selection: object, undoneBy: string | undefined): string {
  if ('id' in selection && undoneBy !== undefined) {
    return `${String(selection.id)} is taken back already. \`sekisho undo ${undoneBy}\` brings it back.`;
  }
  const lists = '`sekisho history` lists what was changed.';
  if ('id' in selection) return `There is no change ${String(selection.id)}. ${lists}`;
  return `There is nothing to take back: nothing was changed there, or all of it is taken back. ${lists}`;
}

function summary(undone: number, stopped: boolean, session: string): string {
  const back = undone > 0 ? ` \`sekisho undo --session ${session}\` brings it back.` : '';
  if (!stopped) return `${counted(undone, 'change')} taken back.${back}`;
  return `${counted(undone, 'change')} taken back; not all could be. See \`sekisho diff\`; --force goes on and keeps what it replaces.${back}`;
}
