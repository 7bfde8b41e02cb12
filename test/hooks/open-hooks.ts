import { adapters } from '../../src/hooks/adapters.ts';
import type { Fields, HookAnswer } from '../../src/hooks/event.ts';
import { Gate } from '../../src/hooks/gate.ts';
import { openTestCheckpoint, type World } from '../support/open-test-checkpoint.ts';

/** A client's hooks on a checkpoint of their own: events as the client sends them, answers as it reads them. */
export async function openHooks(client: string, world: World = {}) {
  const opened = await openTestCheckpoint({
    ...world,
    config: { profile: 'coding', ...world.config },
  });
  const { checkpoint, root } = opened;
  const adapter = adapters.get(client);
  if (!adapter) throw new Error(`no such client: ${client}`);
  const permits = new Map<string, string>();
  const gate = new Gate({
    gateway: checkpoint.gateway,
    native: checkpoint.native,
    runBy: (permit, command) => {
      permits.set(command, permit);
      return `run ${permit} ${command}`;
    },
  });

  /** What the gate answers to an event of this client. */
  async function tell(event: Fields): Promise<HookAnswer> {
    const read = adapter?.read(event);
    if (read?.kind === 'before') return gate.before(read, { name: client, version: 'test' });
    if (read?.kind === 'approval') return gate.review(read);
    if (read) await gate.tell(read);
    return { kind: 'nothing' };
  }

  return {
    ...opened,
    gate,
    /** As a server has them. */
    projects: { of: async () => ({ gate, isLeft: false }), all: async () => [{ gate }] },
    tell,
    say: (answer: HookAnswer, event: Fields) => adapter.say(answer, event),
    /** As the rewritten command does it. */
    run: (command: string, signal = never) =>
      gate.run({ permit: permits.get(command) ?? '', command, folder: root }, signal),
    /** The same by somebody who means another command, or stands elsewhere. */
    runAs: ({ command, as = command, folder = root }: { command: string; as?: string; folder?: string }) =>
      gate.run({ permit: permits.get(command) ?? '', command: as, folder }, never),
    /** The newest entry of the log, without what differs from call to call. */
    async newest() {
      const { audit } = await checkpoint.store();
      await audit.flush();
      const [entry] = await audit.search({ limit: 1, newestFirst: true });
      const { tool, arguments: input, stop, rule, approver, outcome, code, cause } = entry ?? {};
      return { tool, arguments: input, stop, rule, approver, outcome, code, cause };
    },
    /** What was written down of changes, oldest first. */
    async changes() {
      const entries = await (await checkpoint.store()).history.list({ limit: 50 });
      return entries
        .toReversed()
        .map(({ path, action, before, after, tool }) => ({ path, action, before, after, tool }));
    },
    async undo() {
      const { history, folders } = await checkpoint.history();
      const who = { principal: 'local', sessionId: 'person', tool: 'undo', auditId: '' };
      const steps = await history.undo({ sinceMs: 0 }, { folders, who, force: false });
      return steps.map(({ outcome }) => outcome);
    },
  };
}

const never = new AbortController().signal;
