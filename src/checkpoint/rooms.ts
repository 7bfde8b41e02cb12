import { join, relative } from 'node:path';
import { Caps, hasCaps } from '../call/limits/caps.ts';
import { hasEnded, recoverLayers } from '../command/layer/left.ts';
import { findGpu } from '../config/gpu.ts';
import { configFolderOf, homeOf } from '../config/places/state.ts';
import type { Settings } from '../config/settings.ts';
import { type SecretRule, someSecrets } from '../contract/capabilities/secrets.ts';
import { ConfigError } from '../contract/error.ts';
import type { Halts } from '../contract/halt.ts';
import { type Text, text } from '../contract/text/text.ts';
import { HaltFile } from '../files/halt-file.ts';
import { isBelow } from '../ground/inside.ts';
import { secretName, secretsIn } from '../ground/secrets/named.ts';
import { once } from '../ground/waiting/once.ts';
import { StoreHalts } from '../store/halts.ts';

export interface RoomsOptions {
  readonly version?: string | undefined;
  /** The variables of the sessions that are served. Default: this process's. */
  readonly environment?: NodeJS.ProcessEnv | undefined;
  /** Called for failures that a caller does not see. */
  readonly onFault?: ((error: unknown) => void) | undefined;
  readonly now?: (() => number) | undefined;
}

/** The rooms besides `call/`, each opened on first use: a process that serves only file_read loads no database. */
export class Rooms {
  readonly settings: Settings;
  /** Undefined if nothing is capped. */
  readonly caps: Caps | undefined;
  readonly halts: Halts;
  readonly #version: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #onFault: RoomsOptions['onFault'];
  readonly #layers: string;
  readonly #ownPaths: readonly string[];

  constructor(settings: Settings, options: RoomsOptions = {}) {
    const { version = '0.0.0', environment = process.env, onFault, now = Date.now } = options;
    this.settings = settings;
    this.caps = hasCaps(settings.limits)
      ? new Caps(settings.limits, async () => (await this.store()).rates, now)
      : undefined;
    this.halts = settings.storeUrl.startsWith('sqlite:')
      ? new HaltFile(settings.haltFile)
      : new StoreHalts(async () => (await this.store()).engine());
    this.#version = version;
    this.#environment = environment;
    this.#onFault = onFault;
    this.#layers = join(settings.stateFolder, 'layers');
    this.#ownPaths = [settings.stateFolder, configFolderOf(environment, homeOf(environment))];
  }

  /** Completes what a killed server was landing before anything is read. */
  readonly #recovered = once(() => recoverLayers(this.#layers));

  readonly workspace = once(async () => {
    await this.#recovered();
    // What ended commands of a killed server did is in place, too.
    if (hasEnded(this.#layers)) await this.commands();
    const { openWorkspace } = await import('../files/workspace.ts');
    const { defaultProtectedNames } = await import('../files/protected-names.ts');
    return openWorkspace({
      roots: this.settings.roots,
      files: this.settings.files,
      protectedNames: [...defaultProtectedNames, ...this.settings.protectedNames],
      observer: this.settings.history.enabled ? (await this.history()).recorder.observer : undefined,
      scratchFolder: join(this.settings.stateFolder, 'writes'),
      hiddenPaths: this.settings.hiddenPaths,
    });
  });

  readonly history = once(async () => {
    // Its own recovery comes after that of layers.
    await this.#recovered();
    const { History } = await import('../history/open.ts');
    return new History({
      folder: join(this.settings.stateFolder, 'history'),
      store: async () => (await this.store()).history,
      ...this.settings.history,
      onChanges: this.caps && ((entries) => this.caps?.changed(entries)),
      stale: this.settings.stale,
      isBusy: async (id) =>
        (await this.commands.opened())
          ?.forSession(id)
          .backgrounds()
          .some((each) => each.status().running) ?? false,
    });
  });

  readonly store = once(async () => {
    const { openStore } = await import('../store/open-store.ts');
    const { freeBytes, leftUnderWay, openUnderWay } = await import('../files/changing/under-way.ts');
    const calls = join(this.settings.stateFolder, 'calls');
    return openStore({
      url: this.settings.storeUrl,
      stateFolder: this.settings.stateFolder,
      embeddings: embeddingsOf(this.settings, this.#environment, () => this.lendingFetch()),
      retention: this.settings.retention,
      contentsUrl: this.settings.history.bucket,
      underWay: {
        ...openUnderWay(calls, 'calls'),
        left: () => leftUnderWay(calls, 'calls'),
        freeBytes: () => freeBytes(this.settings.stateFolder),
      },
    });
  });

  readonly keptSecrets = once(async () => {
    const { KeptSecrets } = await import('../config/secrets/kept-secrets.ts');
    const { deriveKey } = await import('../store/derived-key.ts');
    const { stateFolder, secrets } = this.settings;
    const inKeyring = secrets.flatMap(({ name, from }) => (from === 'keyring' ? [name] : []));
    return new KeptSecrets(stateFolder, () => deriveKey(stateFolder, 'secrets'), inKeyring);
  });

  /** Undefined if none is named. */
  readonly secrets = once(async () => {
    const { secrets: named } = this.settings;
    if (named.length === 0) return undefined;
    const { openSecrets } = await import('../config/secrets/sources.ts');
    const secrets = openSecrets(named, this.#environment, await this.keptSecrets());
    await secrets.refresh(named.map(({ name }) => name));
    return secrets;
  });

  /** Hides the values of secrets in what leaves the server; undefined if none is named. */
  get hiding() {
    if (this.settings.secrets.length === 0) return undefined;
    return once(async () => {
      const { createHider } = await import('./hide-secrets.ts');
      const secrets = await this.secrets();
      return secrets ? createHider(secrets) : <T>(value: T) => value;
    });
  }

  /** Reads an address with a credential; its status, or why not. */
  async trySecret(
    name: string,
    address: string,
  ): Promise<{ readonly status: number } | { readonly because: Text }> {
    const { sendOnce } = await import('../network/edge/keys/send-once.ts');
    const { trustedAuthorities } = await import('../command/sandbox/settings/bundle.ts');
    const secrets = await this.secrets();
    const rule = secrets?.rules.find((each) => each.name === name);
    const url = URL.parse(address);
    if (!secrets || !rule || !url)
      return { because: text(`${address} is no address.`, `${address} はアドレスではありません。`) };
    const authorities = trustedAuthorities(this.#environment);
    return sendOnce(secrets, { rule, url, authorities }).catch((cause) => ({
      because: text(
        `${url.host} cannot be reached ${causeWords(cause)}.`,
        `${url.host} に接続できません ${causeWords(cause)}。`,
      ),
    }));
  }

  /** Sends requests whose headers name secrets; undefined if there are none. */
  async lendingFetch(): Promise<typeof fetch | undefined> {
    return (await this.#outwardKeys())?.fetch;
  }

  async #outwardKeys(isMeant: (rule: SecretRule) => boolean = () => true) {
    const secrets = someSecrets(await this.secrets(), isMeant);
    if (!secrets) return undefined;
    const { OutwardKeys } = await import('../network/edge/keys/outward.ts');
    return new OutwardKeys(secrets);
  }

  async #signer() {
    if (!this.settings.signing.commits) return undefined;
    const { openSigner } = await import('../git/signer.ts');
    const { agent } = this.settings.signing.ssh ?? {};
    const environment = { ...this.#environment, ...(agent !== undefined && { SSH_AUTH_SOCK: agent }) };
    return openSigner(this.settings.roots[0]?.path ?? '/', environment);
  }

  readonly commands = once(async () => {
    const runner = await this.#openRunner();
    if (this.settings.history.enabled && hasEnded(this.#layers)) {
      const { createEffectRules } = await import('../call/policy/effects/decide.ts');
      const kept = await this.history();
      await runner.settleLeft({
        rules: createEffectRules(this.settings.effectRules, this.settings.mode),
        keeperFor: (who) => kept.keeperFor(who),
        tell: (line) => this.#onFault?.(line),
      });
    }
    return runner;
  });

  readonly #openRunner = once(async () => {
    await this.#recovered();
    const { CommandRunner } = await import('../command/commands.ts');
    const { obeyedNames } = await import('../ground/obeyed/obeyed-names.ts');
    const { mayKeep, isRead, remoteChanges, commandsIn, goesOn } = await this.judge();
    const hide = await this.hiding?.();
    const gpu = findGpu();
    const lent = this.settings.process.devices.includes('gpu') ? gpu : undefined;
    return new CommandRunner({
      roots: this.#hostRoots(),
      sandbox: this.settings.process.sandbox,
      isRead,
      remoteChanges,
      commandsIn,
      goesOn,
      environment: this.settings.process.environment,
      isSecret: hide && ((words) => hide(words) !== words),
      serverEnvironment: this.#environment,
      readable: [
        ...this.settings.process.readable,
        ...this.settings.files.map(({ path }) => path),
        ...(lent?.readable ?? []),
      ],
      devices: lent?.nodes,
      hidesGpu: gpu !== lent,
      network: {
        entries: this.settings.process.network,
        tunnels: this.settings.process.tunnels,
        key: 'process.network',
        deniedHosts: deniedHostsOf(this.settings),
        secrets: someSecrets(await this.secrets(), ({ commands }) => commands !== false),
        ssh: this.settings.signing.ssh,
        signer: await this.#signer(),
      },
      publish:
        this.settings.process.publish.length > 0
          ? {
              ports: this.settings.process.publish,
              // Another program there would look like this server's console, which may be started later.
              reserved: [this.settings.http.port],
            }
          : undefined,
      hiddenPaths: this.settings.hiddenPaths,
      ownPaths: this.#ownPaths,
      caches: {
        folder: join(this.settings.stateFolder, 'caches'),
        maxBytes: this.settings.process.cacheBytes,
      },
      layers: this.#layers,
      layer: this.settings.process.layer,
      onFailure: this.settings.process.onFailure,
      readOnlyNames: [...obeyedNames, ...this.settings.protectedNames],
      // The vault's notes about its notes.
      keptNames: this.settings.roots.flatMap(({ path }) =>
        isBelow(this.settings.vault.root, path)
          ? [join(relative(path, this.settings.vault.root), '.system')]
          : [],
      ),
      onDisarmed: (line) => this.#onFault?.(line),
      maxTimeoutMs: this.settings.process.maxTimeoutMs,
      maxBackgroundMs: this.settings.process.maxBackgroundMs,
      mayKeep,
    });
  });

  readonly judge = once(async () => {
    const { createCommandJudge } = await import('../judgement/judge.ts');
    const { readSmall } = await import('../git/small-file.ts');
    const isInRoot = (path: string) => this.settings.roots.some((root) => isBelow(path, root.path));
    return createCommandJudge({ read: (path) => (isInRoot(path) ? readSmall(path) : undefined) });
  });

  readonly web = once(async () => {
    const { openWeb } = await import('../network/web.ts');
    return openWeb({
      ...this.settings.web,
      denyHosts: [...this.settings.web.denyHosts, ...deniedHostsOf(this.settings)],
      keys: await this.#outwardKeys(({ webFetch }) => webFetch === true),
    });
  });

  readonly search = once(async () => {
    const { createSearch } = await import('../search/search.ts');
    // Once commands run, one of them may swap folders during a search, so ripgrep then runs in the sandbox as well.
    return createSearch({
      hiddenPaths: this.settings.hiddenPaths,
      confined: async () => (await this.commands.opened())?.stages(),
    });
  });

  readonly desks = once(async () => {
    const { createDesk } = await import('../files/desk/desk.ts');
    return createDesk({
      layout: this.settings.assistant.layout,
      timeZone: this.settings.assistant.timeZone,
      clock: Date.now,
      folder: (await this.workspace()).folder,
    });
  });

  readonly vault = once(async () => {
    const { openVault, vaultSettingsFrom } = await import('../vault/open.ts');
    return openVault({
      root: this.settings.vault.root,
      settings: vaultSettingsFrom(this.#environment, this.settings.vault),
      workspace: (await this.workspace()).folder,
      observer: this.settings.history.enabled ? (await this.history()).recorder.observer : undefined,
      scratchFolder: join(this.settings.stateFolder, 'writes'),
      timeZone: this.settings.assistant.timeZone,
    });
  });

  readonly pipelines = once(async () => {
    const { openPipelines } = await import('../pipeline/open.ts');
    return openPipelines({
      folder: (await this.workspace()).folder,
      stateFolder: join(this.settings.stateFolder, 'pipeline'),
      stages: async () => (await this.commands()).stages(),
    });
  });

  readonly #serverProcesses = once(async () => {
    const { openServerProcesses } = await import('../command/servers.ts');
    return openServerProcesses({
      roots: this.#hostRoots(),
      serverEnvironment: this.#environment,
      readable: this.settings.process.readable,
      hiddenPaths: this.settings.hiddenPaths,
      deniedHosts: deniedHostsOf(this.settings),
      secrets: await this.secrets(),
      ownPaths: this.#ownPaths,
      record:
        this.settings.history.enabled && this.settings.history.commands !== 'off'
          ? async (tool, roots) => {
              const kept = await this.history();
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

  readonly upstreams = once(async () => {
    const { openUpstreams } = await import('../upstream/connection/open-upstreams.ts');
    const { createPublicAddressCheck } = await import('../network/address.ts');
    const { deriveKey } = await import('../store/derived-key.ts');
    const send = await this.lendingFetch();
    let key: Uint8Array | undefined;
    return openUpstreams({
      send,
      servers: this.settings.servers,
      pinFolder: join(this.settings.stateFolder, 'servers'),
      info: { name: 'sekisho', version: this.#version },
      startProcess: async (start) => (await this.#serverProcesses()).start(start),
      onFailed: ({ settings: { name } }, { text: why, cause }) =>
        this.#onFault?.(
          [`Server ${name}: ${why.en}`, cause === undefined ? '' : causeWords(cause)].join(' ').trim(),
        ),
      oauth: {
        folder: join(this.settings.stateFolder, 'logins'),
        key: () => (key ??= deriveKey(this.settings.stateFolder, 'logins at servers')),
        isPublicAddress: createPublicAddressCheck(),
      },
    });
  });

  readonly identity = once(async () => {
    const { openIdentity } = await import('../identity/open-identity.ts');
    const { oauth } = this.settings.http;
    if (!oauth)
      throw new ConfigError(
        'No token issuer is configured (http.oauth).',
        'トークンの発行者が設定されていません（http.oauth）。',
      );
    return openIdentity(oauth, { now: Date.now, onFault: this.#onFault });
  });

  async close(): Promise<void> {
    // Commands first, because they still write to folders of other rooms; the store last, because it takes records.
    const inOrder = [this.upstreams, this.#serverProcesses, this.commands, this.pipelines, this.web];
    for (const room of [...inOrder, this.vault, this.workspace, this.history, this.store]) {
      const opened = await room.opened();
      await opened?.close();
    }
  }

  /** In read-only mode commands can write nothing, whatever a rule allows. */
  #hostRoots() {
    const { roots, mode } = this.settings;
    return roots.map(({ path, writable }) => ({
      hostPath: path,
      writable: writable && mode !== 'read-only',
    }));
  }
}

function embeddingsOf(
  { memory }: Settings,
  environment: NodeJS.ProcessEnv,
  lendingFetch: () => Promise<typeof fetch | undefined>,
) {
  if (!memory.embeddings) return undefined;
  const { url, model, keyVariable, keySecret, dimensions, timeoutMs } = memory.embeddings;
  return {
    model,
    questionMs: timeoutMs,
    embedder: once(async () => {
      const { openEmbedder } = await import('../ask/model/embed.ts');
      const ofVariable = keyVariable === undefined ? undefined : environment[keyVariable]?.trim();
      const key = keySecret === undefined ? ofVariable : secretName(keySecret);
      const send = keySecret === undefined ? undefined : await lendingFetch();
      return openEmbedder({ url, model, dimensions, key }, send);
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
    `store.url must start with sqlite: or postgres://, got "${settings.storeUrl.split(':', 1)[0]}:…".`,
    `store.url は sqlite: または postgres:// で始めてください（指定値: "${settings.storeUrl.split(':', 1)[0]}:…"）。`,
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
  if (lists.length + settings.secrets.length === 0) return;
  const { createProxyRules } = await import('../network/proxy/rules.ts');
  for (const { entries, key } of lists) createProxyRules(entries, key, deniedHostsOf(settings));
  if (settings.secrets.length === 0) return;
  const { assertInspected, assertReached } = await import('../network/edge/keys/keys.ts');
  assertInspected(settings.secrets, settings.process);
  for (const { name, start } of settings.servers) {
    if (start.kind === 'stdio' && start.sandbox === 'off') continue;
    const named = secretsIn(start.kind === 'http' ? start.headers : start.env);
    const list =
      start.kind === 'http'
        ? { entries: [authorityOf(start.url)], key: `servers.${name}.url` }
        : (start.network ?? { entries: [], key: `servers.${name}.network` });
    for (const rule of settings.secrets) if (named.includes(rule.name)) assertReached(rule, list);
  }
}

/** The cause of a failure, for the operator. */
function causeWords(cause: unknown): string {
  return `(${cause instanceof Error ? cause.message : String(cause)})`;
}

/** Host and port. */
function authorityOf(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}
