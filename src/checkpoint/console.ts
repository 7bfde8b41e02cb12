import type { ConsoleDesk, HistoryPages, PolicyPages, ServerPages, UndoOutcome } from '../console/desk.ts';
import { isConsolePath } from '../console/paths.ts';
import { once } from '../ground/once.ts';
import type { Pages } from '../transport/http/pages.ts';
import type { Checkpoint } from './open.ts';

/** The console of a checkpoint. Its pages are loaded at the first request for one. */
export function createConsolePages(
  checkpoint: Checkpoint,
  onFault: (error: unknown) => void = () => {},
): Pages & { close(): Promise<void> } {
  const open = once(async () => {
    const { createConsole } = await import('../console/app.ts');
    return createConsole(await deskOf(checkpoint, onFault));
  });
  return {
    claims: isConsolePath,
    answer: async (request, from) => (await open()).answer(request, from),
    async close() {
      (await open.opened()?.catch(() => undefined))?.close();
    },
  };
}

async function deskOf(checkpoint: Checkpoint, onFault: (error: unknown) => void): Promise<ConsoleDesk> {
  const { settings, team, store } = checkpoint;
  const { readConsoleAsset } = await import('../config/console-assets.ts');
  return {
    locale: settings.locale,
    served: {
      roots: settings.roots.map(({ path }) => path),
      mode: settings.mode,
      toolsets: settings.toolsets,
      sandbox: settings.process.sandbox,
      version: checkpoint.door.info.version,
    },
    now: Date.now,
    sessions: async () => (await store()).consoleSessions,
    rates: async () => (await store()).rates,
    audit: async () => (await store()).audit,
    approvals: async () => (await store()).approvals,
    memories: async (owner) => (await store()).memoriesFor(owner),
    memoryBrowser: async () => (await store()).memoryBrowser,
    team: async () => (await team.open()).admin,
    history: settings.history.enabled ? historyOf(checkpoint) : undefined,
    servers: settings.servers.length > 0 ? serversOf(checkpoint) : undefined,
    policy: policyOf(checkpoint),
    asset: readConsoleAsset,
    onFault,
  };
}

function historyOf(checkpoint: Checkpoint): HistoryPages {
  const opened = once(async () => (await import('./undo.ts')).openHistoryOf(checkpoint));
  return {
    list: async (query) => (await checkpoint.store()).history.list(query),
    get: async (id) => (await checkpoint.store()).history.get(id),
    async diff(entry) {
      const { describeChange } = await import('../confine/history/describe.ts');
      const { history, folders } = await opened();
      const [before, after] = await Promise.all([
        history.content(entry, 'before', folders),
        history.content(entry, 'after', folders),
      ]);
      return describeChange(entry, before, after);
    },
    async undo(order, person, force): Promise<UndoOutcome> {
      const { undoChanges } = await import('./undo.ts');
      const { folders } = await opened();
      const who = { principal: person.name, transport: 'console' } as const;
      const { steps } = await undoChanges(checkpoint, order, { folders, force, who });
      const last = steps.at(-1)?.outcome ?? 'nothing';
      const isSome = steps.some(({ outcome }) => outcome === 'undone');
      if (!isSome) return last;
      return last === 'conflict' || last === 'lost' ? 'partly' : 'undone';
    },
  };
}

function serversOf({ rooms }: Checkpoint): ServerPages {
  return {
    status: async () => (await rooms.upstreams()).status(),
    async review(name) {
      const review = (await rooms.upstreams()).pins.review(name);
      if (!review) return undefined;
      const { createTwoFilesPatch } = await import('diff');
      const changes = review.changes.map(({ before, after, ...held }) => {
        const patch = createTwoFilesPatch('approved', 'now', spell(before), spell(after), '', '');
        return { ...held, diff: patch.split('\n').slice(1).join('\n') };
      });
      return { digest: review.digest, changes, removed: review.removed };
    },
    async approve(name, digest) {
      const upstreams = await rooms.upstreams();
      const approved = upstreams.pins.approve(name, digest);
      for (const server of upstreams.servers) server.refresh();
      return approved;
    },
    async forget(name) {
      (await rooms.upstreams()).pins.forget(name);
    },
  };
}

function policyOf({ settings, rooms, team }: Checkpoint): PolicyPages {
  return {
    async explain() {
      const { explainRules } = await import('./policy.ts');
      const { operator, ...explained } = explainRules(settings);
      return {
        ...explained,
        operator: operator.map(({ id, decision, because, match: _match, notMatch: _notMatch, ...about }) => ({
          ...{ id, decision, because },
          about: JSON.stringify(about),
        })),
      };
    },
    test: async (json) => (await import('./policy.ts')).tryCall(json, rooms, team),
  };
}

function spell(tool: unknown): string {
  return tool === undefined ? '' : `${JSON.stringify(tool, null, 2)}\n`;
}
