import { join, relative } from 'node:path';
import { hasEnded } from '../command/layer/left.ts';
import type { Settings } from '../config/settings.ts';
import { configFolderOf, homeOf } from '../config/state.ts';
import { ConfigError } from '../contract/error.ts';
import { text } from '../contract/text/text.ts';
import { isBelow } from '../ground/inside.ts';
import { once } from '../ground/once.ts';

export interface RoomsOptions {
  readonly version?: string | undefined;
  /** The variables of the sessions that are served. Default: this process's. */
  readonly environment?: NodeJS.ProcessEnv | undefined;
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/**
 * The rooms besides `call/`, each opened on first use: a process that only serves file_read never loads a database
 * driver, a sandbox or a browser's parser.
 */
export function createRooms(
  settings: Settings,
  { version = '0.0.0', environment = process.env, onFault }: RoomsOptions = {},
) {
  const layers = join(settings.stateFolder, 'layers');
  const ownPaths = [settings.stateFolder, configFolderOf(environment, homeOf(environment))];

  /** Completes what a killed server was landing before anything is read. */
  const recovered = once(async () => {
    const { recoverLayers } = await import('../command/layer/recover.ts');
    await recoverLayers(layers);
  });

  const workspace = once(async () => {
    await recovered();
    // What ended commands of a killed server did is in place, too.
    if (hasEnded(layers)) await commands();
    const { openWorkspace } = await import('../files/workspace.ts');
    const { defaultProtectedNames } = await import('../files/protected-names.ts');
    return openWorkspace({
      roots: settings.roots,
      files: settings.files,
      protectedNames: [...defaultProtectedNames, ...settings.protectedNames],
      observer: settings.history.enabled ? (await history()).recorder.observer : undefined,
      scratchFolder: join(settings.stateFolder, 'writes'),
      hiddenPaths: settings.hiddenPaths,
    });
  });

  const history = once(async () => {
    // Its own recovery comes after that of layers.
    await recovered();
    const { History } = await import('../history/open.ts');
    return new History({
      folder: join(settings.stateFolder, 'history'),
      store: async () => (await store()).history,
      ...settings.history,
    });
  });

  const store = once(async () => {
    const { openStore } = await import('../store/open.ts');
    const { freeBytes, leftUnderWay, openUnderWay } = await import('../files/changing/under-way.ts');
    const calls = join(settings.stateFolder, 'calls');
    return openStore({
      url: settings.storeUrl,
      stateFolder: settings.stateFolder,
      embeddings: embeddingsOf(settings, environment),
      retention: settings.retention,
      contentsUrl: settings.history.bucket,
      underWay: {
        ...openUnderWay(calls, 'calls'),
        left: () => leftUnderWay(calls, 'calls'),
        freeBytes: () => freeBytes(settings.stateFolder),
      },
    });
  });

  const commands = once(async () => {
    const runner = await openRunner();
    if (settings.history.enabled && hasEnded(layers)) {
      const { createEffectRules } = await import('../call/policy/effects/decide.ts');
      const kept = await history();
      await runner.settleLeft({
        rules: createEffectRules(settings.effectRules, settings.mode),
        keeperFor: (who) => kept.keeperFor(who),
        tell: (line) => onFault?.(line),
      });
    }
    return runner;
  });

  const openRunner = once(async () => {
    await recovered();
    const { openCommands } = await import('../command/commands.ts');
    const { obeyedNames } = await import('../ground/obeyed/obeyed-names.ts');
    const { mayKeep, isRead, remoteChanges, commandsIn } = await judge();
    return openCommands({
      // In read-only mode commands can write nothing, whatever a rule allows.
      roots: settings.roots.map(({ path, writable }) => ({
        hostPath: path,
        writable: writable && settings.mode !== 'read-only',
      })),
      sandbox: settings.process.sandbox,
      isRead,
      remoteChanges,
      commandsIn,
      environment: settings.process.environment,
      serverEnvironment: environment,
      readable: [...settings.process.readable, ...settings.files.map(({ path }) => path)],
      network: {
        entries: settings.process.network,
        tunnels: settings.process.tunnels,
        key: 'process.network',
        deniedHosts: deniedHostsOf(settings),
      },
      hiddenPaths: settings.hiddenPaths,
      ownPaths,
      caches: { folder: join(settings.stateFolder, 'caches'), maxBytes: settings.process.cacheBytes },
      layers,
      layer: settings.process.layer,
      onFailure: settings.process.onFailure,
      readOnlyNames: [...obeyedNames, ...settings.protectedNames],
      // The vault's notes about its notes.
      keptNames: settings.roots.flatMap(({ path }) =>
        isBelow(settings.vault.root, path) ? [join(relative(path, settings.vault.root), '.system')] : [],
      ),
      onDisarmed: (line) => onFault?.(line),
      maxTimeoutMs: settings.process.maxTimeoutMs,
      maxBackgroundMs: settings.process.maxBackgroundMs,
      mayKeep,
    });
  });

  const judge = once(async () => {
    const { createCommandJudge } = await import('../judgement/judge.ts');
    const { readSmall } = await import('../git/small-file.ts');
    const isInRoot = (path: string) => settings.roots.some((root) => isBelow(path, root.path));
    return createCommandJudge({ read: (path) => (isInRoot(path) ? readSmall(path) : undefined) });
  });

  const web = once(async () => {
    const { openWeb } = await import('../network/web.ts');
    return openWeb({
      ...settings.web,
      denyHosts: [...settings.web.denyHosts, ...deniedHostsOf(settings)],
    });
  });

  const search = once(async () => {
    const { createSearch } = await import('../search/search.ts');
    // Once commands run, one of them may swap folders during a search, so ripgrep then runs in the sandbox as well.
    return createSearch({
      hiddenPaths: settings.hiddenPaths,
      confined: async () => (await commands.opened())?.stages(),
    });
  });

  const desks = once(async () => {
    const { createDesk } = await import('../files/desk/desk.ts');
    return createDesk({
      layout: settings.assistant.layout,
      timeZone: settings.assistant.timeZone,
      clock: Date.now,
      folder: (await workspace()).folder,
    });
  });

  const vault = once(async () => {
    const { openVault, vaultSettingsFrom } = await import('../vault/open.ts');
    return openVault({
      root: settings.vault.root,
      settings: vaultSettingsFrom(environment, settings.vault),
      workspace: (await workspace()).folder,
      observer: settings.history.enabled ? (await history()).recorder.observer : undefined,
      scratchFolder: join(settings.stateFolder, 'writes'),
      timeZone: settings.assistant.timeZone,
    });
  });

  const pipelines = once(async () => {
    const { openPipelines } = await import('../pipeline/open.ts');
    return openPipelines({
      folder: (await workspace()).folder,
      stateFolder: join(settings.stateFolder, 'pipeline'),
      stages: async () => (await commands()).stages(),
    });
  });

  const serverProcesses = once(async () => {
    const { openServerProcesses } = await import('../command/servers.ts');
    return openServerProcesses({
      roots: settings.roots.map(({ path, writable }) => ({
        hostPath: path,
        writable: writable && settings.mode !== 'read-only',
      })),
      serverEnvironment: environment,
      readable: settings.process.readable,
      hiddenPaths: settings.hiddenPaths,
      deniedHosts: deniedHostsOf(settings),
      ownPaths,
      record:
        settings.history.enabled && settings.history.commands !== 'off'
          ? async (tool, roots) => {
              const kept = await history();
              const who = { principal: 'server', sessionId: '', tool, auditId: '' };
              return kept.recorder.attribute(
                who,
                () => kept.ofCommands(roots).record(undefined),
                () => {},
              );
            }
          : undefined,
    });
  });

  const upstreams = once(async () => {
    const { openUpstreams } = await import('../upstream/connection/open.ts');
    const { createPublicAddressCheck } = await import('../network/address.ts');
    const { deriveKey } = await import('../store/derived-key.ts');
    let key: Uint8Array | undefined;
    return openUpstreams({
      servers: settings.servers,
      pinFolder: join(settings.stateFolder, 'servers'),
      info: { name: 'sekisho', version },
      startProcess: async (start) => (await serverProcesses()).start(start),
      onFailed: ({ settings: { name } }, { text: why, cause }) =>
        onFault?.(
          [`Server ${name}: ${why.en}`, cause === undefined ? '' : causeWords(cause)].join(' ').trim(),
        ),
      oauth: {
        folder: join(settings.stateFolder, 'logins'),
        key: () => (key ??= deriveKey(settings.stateFolder, 'logins at servers')),
        isPublicAddress: createPublicAddressCheck(),
      },
    });
  });

  const identity = once(async () => {
    const { openIdentity } = await import('../identity/open-identity.ts');
    const { oauth } = settings.http;
    if (!oauth)
      throw new ConfigError(
        text(
          'No token issuer is configured (http.oauth).',
          'トークンの発行者が設定されていません（http.oauth）。',
        ),
      );
    return openIdentity(oauth, { now: Date.now, onFault });
  });

  async function close(): Promise<void> {
    // Commands first, because they still write to folders of other rooms; the store last, because it takes records.
    for (const room of [
      upstreams,
      serverProcesses,
      commands,
      pipelines,
      web,
      vault,
      workspace,
      history,
      store,
    ]) {
      const opened = await room.opened();
      await opened?.close();
    }
  }

  return {
    settings,
    workspace,
    history,
    store,
    commands,
    judge,
    web,
    search,
    desks,
    vault,
    pipelines,
    upstreams,
    identity,
    close,
  };
}

export type Rooms = ReturnType<typeof createRooms>;

function embeddingsOf({ memory }: Settings, environment: NodeJS.ProcessEnv) {
  if (!memory.embeddings) return undefined;
  const { url, model, keyVariable, dimensions, timeoutMs } = memory.embeddings;
  return {
    model,
    questionMs: timeoutMs,
    embedder: once(async () => {
      const { openEmbedder } = await import('../ask/model/embed.ts');
      const key = keyVariable === undefined ? undefined : environment[keyVariable]?.trim();
      return openEmbedder({ url, model, dimensions, key });
    }),
  };
}

/** Hosts denied to all callers. Rules see a call's address; these lists are checked on the connection. */
function deniedHostsOf({ rules }: Settings): readonly string[] {
  return rules.flatMap(({ decision, host, tool, role, user, purpose }) =>
    decision === 'deny' && host !== undefined && !tool && !role && !user && !purpose ? [host] : [],
  );
}

/** Fails at start-up for settings that could not work at the first call. */
export async function assertSettings(settings: Settings, environment: NodeJS.ProcessEnv): Promise<void> {
  await assertNetworkLists(settings);
  await assertVault(settings, environment);
  if (settings.storeUrl.startsWith('sqlite:') || /^postgres(ql)?:/.test(settings.storeUrl)) return;
  throw new ConfigError(
    // It may contain a password.
    text(
      `store.url must start with sqlite: or postgres://, got "${settings.storeUrl.split(':', 1)[0]}:…".`,
      `store.url は sqlite: または postgres:// で始めてください（指定値: "${settings.storeUrl.split(':', 1)[0]}:…"）。`,
    ),
  );
}

/** Checks limits and folder of the notes, if they are served. */
async function assertVault(
  { toolsets, only, vault, roots }: Settings,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  if (only || !toolsets.includes('vault')) return;
  const { assertVaultRoot, vaultSettingsFrom } = await import('../vault/settings.ts');
  vaultSettingsFrom(environment, vault);
  assertVaultRoot(
    vault.root,
    roots.map(({ path }) => path),
  );
}

/** An invalid list is reported at once, not when the first command or server needs it. */
async function assertNetworkLists(settings: Settings): Promise<void> {
  const { network } = settings.process;
  const lists = settings.servers.flatMap(({ start }) =>
    start.kind === 'stdio' && start.network ? [start.network] : [],
  );
  if (network.length > 0) lists.push({ entries: network, key: 'process.network' });
  if (lists.length === 0) return;
  const { createProxyRules } = await import('../network/proxy/rules.ts');
  for (const { entries, key } of lists) createProxyRules(entries, key, deniedHostsOf(settings));
}

/** The cause of a failure, for the operator. */
function causeWords(cause: unknown): string {
  return `(${cause instanceof Error ? cause.message : String(cause)})`;
}
