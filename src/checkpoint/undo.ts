import { randomUUID } from 'node:crypto';
import type { Folder } from '../contract/files.ts';
import type { Checkpoint } from './open.ts';
import type { Rooms } from './rooms.ts';

type History = Awaited<ReturnType<Rooms['history']>>;
type Order = Parameters<History['undo']>[0];
type Step = Awaited<ReturnType<History['undo']>>[number];

/** The history of a checkpoint, with the folders that can have been changed. */
export async function openHistoryOf({
  rooms,
}: Pick<Checkpoint, 'rooms'>): Promise<{ readonly history: History; readonly folders: readonly Folder[] }> {
  const history = await rooms.history();
  await history.recovered();
  const { folder } = await rooms.workspace();
  // A vault elsewhere has a root of its own; where it is missing there is nothing in it to take back.
  const vault = await rooms.vault().catch(() => undefined);
  return { history, folders: vault ? [folder, vault.folder] : [folder] };
}

/** Takes changes back for a person, and writes down that they did. The session id takes all of it back again. */
export async function undoChanges(
  checkpoint: Pick<Checkpoint, 'rooms'>,
  order: Order,
  options: {
    readonly folders: readonly Folder[];
    readonly force: boolean;
    readonly who: { readonly principal: string; readonly transport: 'cli' | 'console' };
    readonly tell?: ((step: Step) => void) | undefined;
  },
): Promise<{ readonly steps: readonly Step[]; readonly sessionId: string; readonly stopped: boolean }> {
  const { rooms } = checkpoint;
  const startedAt = Date.now();
  const sessionId = `undo-${randomUUID().slice(0, 8)}`;
  const { principal, transport } = options.who;
  const auditId = randomUUID();
  const steps = await (await rooms.history()).undo(order, {
    folders: options.folders,
    who: { principal, sessionId, tool: 'undo', auditId },
    force: options.force,
    tell: options.tell,
  });
  const stopped = steps.some(({ outcome }) => outcome === 'conflict' || outcome === 'lost');
  await (await rooms.store()).audit.write({
    id: auditId,
    atMs: startedAt,
    principal,
    sessionId,
    transport,
    tool: 'sekisho undo',
    arguments: { ...order, force: options.force },
    stop: 'run',
    outcome: stopped ? 'error' : 'ok',
    code: stopped ? 'conflict' : undefined,
    durationMs: Date.now() - startedAt,
    inputBytes: 0,
    outputBytes: 0,
    facts: { undone: steps.filter(({ outcome }) => outcome === 'undone').length },
  });
  return { steps, sessionId, stopped };
}
