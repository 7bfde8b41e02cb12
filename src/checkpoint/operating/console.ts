import type { ConsoleDependencies, HistoryPages, PolicyPages } from '../../console/dependencies.ts';
import { isConsolePath } from '../../console/paths.ts';
import { once } from '../../ground/waiting/once.ts';
import type { Pages } from '../../transport/http/pages.ts';
import type { Checkpoint } from '../open-checkpoint.ts';
import { consoleName } from './console-name.ts';

export interface ConsoleOptions {
  readonly onFault?: ((error: unknown) => void) | undefined;
  /** The servers that clients at this machine share. */
  readonly shared?: ConsoleDependencies['shared'] | undefined;
}

/** The console of a checkpoint. Its pages are loaded at the first request for one. */
export function createConsolePages(
  checkpoint: Checkpoint,
  { onFault = () => {}, shared }: ConsoleOptions,
): Pages & { close(): Promise<void> } {
  const open = once(async () => {
    const { createConsole } = await import('../../console/app.ts');
    return createConsole(await dependenciesOf(checkpoint, onFault, shared));
  });
  return {
    claims: isConsolePath,
    answer: async (request, from) => (await open()).answer(request, from),
    async close() {
      (await open.opened())?.close();
    },
  };
}

async function dependenciesOf(
  checkpoint: Checkpoint,
  onFault: (error: unknown) => void,
  shared: ConsoleDependencies['shared'],
): Promise<ConsoleDependencies> {
  const { settings, rooms, team, store } = checkpoint;
  const { readConsoleAsset } = await import('../../config/console-assets.ts');
  return {
    locale: settings.locale,
    ownHost: consoleName(settings),
    served: {
      roots: settings.roots.map(({ path }) => path),
      mode: settings.mode,
      toolsets: settings.toolsets,
      sandbox: settings.process.sandbox,
      version: checkpoint.gateway.info.version,
    },
    now: Date.now,
    waitMs: settings.approval.waitMs,
    sessions: async () => (await store()).consoleSessions,
    rates: async () => (await store()).rates,
    audit: async () => (await store()).audit,
    approvals: async () => (await store()).approvals,
    memories: async (owner) => (await store()).memoriesFor(owner),
    memoryBrowser: async () => (await store()).memoryBrowser,
    team: async () => (await team.open()).admin,
    notify: settings.notify,
    async replyToPress(url, body) {
      const { post } = await import('../../notify/channels/post.ts');
      await post(
        { url, headers: { 'content-type': 'application/json' }, body },
        new AbortController().signal,
      );
    },
    notices: async () => (await store()).notices,
    passkeys: async () => (await store()).passkeys,
    pushKey: checkpoint.notices.publicKey,
    history: settings.history.enabled ? historyOf(checkpoint) : undefined,
    nodes: async () => (await store()).nodes,
    shared,
    published: async () => (await rooms.commands.opened())?.published() ?? [],
    servers: settings.servers.length > 0 ? async () => (await rooms.upstreams()).status() : undefined,
    operator: checkpoint.operator,
    policy: policyOf(checkpoint),
    asset: readConsoleAsset,
    onFault,
  };
}

function historyOf(checkpoint: Checkpoint): HistoryPages {
  return {
    list: async (query) => (await checkpoint.store()).history.list(query),
    get: async (id) => (await checkpoint.store()).history.get(id),
    async diff(entry, locale) {
      const { describeChange } = await import('../../operator/describe-change.ts');
      const { history, folders } = await checkpoint.history();
      const [before, after] = await Promise.all([
        history.content(entry, 'before', folders),
        history.content(entry, 'after', folders),
      ]);
      return describeChange(entry, before, after, locale);
    },
  };
}

function policyOf(checkpoint: Checkpoint): PolicyPages {
  return {
    async explain() {
      const { operator, ...explained } = (await checkpoint.policy()).explain();
      return {
        ...explained,
        operator: operator.map(({ id, decision, because, match: _match, notMatch: _notMatch, ...about }) => ({
          id,
          decision,
          because,
          about: JSON.stringify(about),
        })),
      };
    },
    test: async (json) => (await checkpoint.policy()).test(json),
  };
}
