import { createAttendance } from '../call/asking/attendance.ts';
import { createCredentials } from '../call/credentials.ts';
import { type Dependencies, handle } from '../call/handle.ts';
import { identifyArrival } from '../call/identify.ts';
import { createOngoing } from '../call/ongoing.ts';
import { createResourceGateway } from '../call/resources.ts';
import { createSeal } from '../call/seal.ts';
import { createSuspended } from '../call/suspended.ts';
import type { Settings } from '../config/settings.ts';
import type { Arrival, Call, Reply } from '../contract/call.ts';
import type { Caller } from '../contract/caller.ts';
import type { CapabilityName } from '../contract/capabilities/capabilities.ts';
import type { Admission, Gateway } from '../contract/gateway.ts';
import type { Native } from '../contract/native.ts';
import type { CallWatcher } from '../contract/observe.ts';
import type { Operator } from '../contract/operator.ts';
import type { ApprovalStore } from '../contract/records.ts';
import type { RiskContext, Toolset } from '../contract/tool/tool.ts';
import type { TraceSettings } from '../contract/trace.ts';
import { once } from '../ground/once.ts';
import { deriveKey } from '../store/derived-key.ts';
import { createPrompts } from '../store/prompts.ts';
import { createLiveCatalog } from './catalog.ts';
import { createEffectRules, createTrials } from './effects.ts';
import { createForwarding } from './forwarding.ts';
import { createAttribution } from './history.ts';
import { createLender } from './lending.ts';
import { createNative } from './native.ts';
import { createNotices, type Notices } from './notify.ts';
import { createWatchers, mayObserve } from './observe.ts';
import { createOperator, type OpenedHistory } from './operator.ts';
import type { PolicyInspector } from './policy.ts';
import { assertSettings, createRooms, type Rooms } from './rooms.ts';
import { createTeamRoom, type TeamRoom } from './team.ts';
import { instructionsFor, mayOutlast } from './toolsets.ts';
import { joinUpstreamRequests } from './upstream.ts';

export interface CheckpointOptions {
  readonly version?: string | undefined;
  readonly now?: (() => number) | undefined;
  /** The command of this program in replies that suggest commands; default `sekisho`. */
  readonly program?: string | undefined;
  /** The role of the local caller, for policy rules. */
  readonly localRole?: string | undefined;
  /** The variables of the sessions that are served. Default: this process's. */
  readonly environment?: NodeJS.ProcessEnv | undefined;
  /** Called for failures that a caller does not see. */
  readonly onFault?: ((error: unknown) => void) | undefined;
  /** The destination of traces; calls are not traced if undefined. */
  readonly trace?: TraceSettings | undefined;
  /** Your own toolsets, served in addition to those of the settings. */
  readonly toolsets?: readonly Toolset[] | undefined;
}

/** The whole server without a transport: opens everything on first use, connects and closes it. */
export interface Checkpoint {
  readonly gateway: Gateway;
  readonly settings: Settings;
  readonly rooms: Rooms;
  readonly team: TeamRoom;
  /** Notifies people of waiting questions. */
  readonly notices: Notices;
  store(): ReturnType<Rooms['store']>;
  /** The acts of a person, from any interface. */
  operator(): Promise<Operator>;
  /** The history of changes, after recovery from killed servers. */
  history(): Promise<OpenedHistory>;
  /** For the tools that a client brings itself. */
  readonly native: Native;
  /** Adds a watcher for every call from now on. */
  watch(watcher: CallWatcher): void;
  /** For testing and explaining the rules. */
  policy(): Promise<PolicyInspector>;
  /** Identifies the sender; a caller without a proof is `anonymous`. */
  identify(arrival: Arrival): Promise<Caller>;
  /** Begins no new work; running calls get the grace period before their resources are closed. */
  close(graceMs?: number): Promise<void>;
}

/** Connects the rooms. Throws `ConfigError` for settings that cannot work. */
export async function openCheckpoint(
  settings: Settings,
  options: CheckpointOptions = {},
): Promise<Checkpoint> {
  await assertSettings(settings, options.environment ?? process.env);
  const now = options.now ?? Date.now;
  const rooms = createRooms(settings, options);
  const stopping = new AbortController();
  const running = new Set<Promise<unknown>>();
  const watchers = createWatchers(options);
  const catalog = createLiveCatalog(settings, rooms, options.toolsets);
  const team = createTeamRoom(settings, rooms.store, options.now);
  const hold = (key: string) => forwarding.hold(key);
  const ongoing = createOngoing({ locale: settings.locale, hold });
  const effects = createEffectRules(settings);
  const trials = createTrials(rooms, effects, now);
  const lend = createLender(rooms, team, ongoing, catalog, () => dependencies);
  const credentials = createCredentials({
    tokens: async () => (await rooms.store()).tokens,
    agents: team.credentials,
    issuers: settings.http.oauth && rooms.identity,
    localRole: options.localRole,
    now,
  });
  const policy = once(async () => {
    const { createPolicy } = await import('../call/policy/policy.ts');
    return createPolicy({
      mode: settings.mode,
      rules: settings.rules,
      judge: await rooms.judge(),
      roots: settings.roots.map((root) => root.path),
      confinement: settings.process.sandbox === 'off' ? undefined : settings.process,
      judgement: settings.process.judgement,
      tryFirst: settings.process.tryFirst,
    });
  });
  // A rule that fails its own examples stops start-up, not the first call; without rules nothing is loaded yet.
  if (settings.rules.length > 0) await policy();
  if (settings.effectRules.length > 0) await effects();

  let keyOfSeal: Uint8Array | undefined;
  const sealKey = () => (keyOfSeal ??= deriveKey(settings.stateFolder, 'questions'));
  const seal = createSeal(sealKey);
  const suspended = createSuspended({ seal, stopping: stopping.signal, hold });

  const attendance = createAttendance();
  const notices = createNotices(settings, rooms, {
    now,
    environment: options.environment ?? process.env,
    digest: async (sinceMs) => (await operator()).digest(sinceMs),
    onFault: options.onFault,
  });

  const prompts = createPrompts(settings.stateFolder, { now, onFault: options.onFault });
  const flow = once(async () => {
    const { createFlowDesk } = await import('../flow/desk.ts');
    return createFlowDesk();
  });

  const dependencies: Dependencies = {
    // Only proxied tools send data to others; without them nothing need be tracked.
    flow: settings.servers.some(({ enabled }) => enabled) ? flow : undefined,
    prompts,
    mode: settings.mode,
    catalog,
    credentials,
    policy,
    rateRules: settings.rateRules,
    rates: async () => (await rooms.store()).rates,
    audit: async () => (await rooms.store()).audit,
    keepsHistory: settings.history.enabled,
    watch: watchers.begin,
    onFault: options.onFault,
    approvals: async () => {
      // A call that reads approvals may create a question, so the notifier starts here.
      notices.begin();
      return (await rooms.store()).approvals;
    },
    lendForRisk: async (tool, caller) => {
      const context: Record<string, unknown> = { caller };
      for (const name of tool.uses) context[name] = await lend(name, { tool, caller });
      return context as unknown as RiskContext<CapabilityName>;
    },
    lend: (name, permit) => lend(name, permit),
    attributed: createAttribution(settings, rooms),
    root: settings.roots[0]?.path,
    whyNoLayer: trials.whyNoLayer,
    held: trials.held,
    lendCommands: trials.lendCommands(() => dependencies),
    seal,
    suspended,
    attendance,
    stopping: stopping.signal,
    locale: settings.locale,
    program: options.program ?? 'sekisho',
    recordFlags: settings.recordFlags,
    waitMs: settings.approval.waitMs,
    expiryMs: settings.approval.expiryMs,
    now,
  };

  const policyInspector = once(async () => {
    const { createPolicyInspector } = await import('./policy.ts');
    const caller = credentials.unproven({ transport: 'cli' });
    return createPolicyInspector({
      settings,
      caller,
      catalog,
      policy,
      lendForRisk: dependencies.lendForRisk,
      whyNoLayer: trials.whyNoLayer,
    });
  });

  const servesNotes = settings.toolsets.includes('vault') && (settings.vault.extras ?? true);
  const watchNote = async (uri: string, changed: () => void) => {
    const { openVaultResources } = await import('../tools/vault/resources.ts');
    return openVaultResources(await rooms.vault()).subscribe({ transport: 'cli' }, uri, changed);
  };

  /** Closing waits for every running call, including protocol methods. */
  function walk(call: Call, ready: Promise<unknown> = Promise.resolve()): Promise<Reply> {
    const followed = mayOutlast(call, settings) ? ongoing.follow(call) : undefined;
    const walking = watchers.ready(ready).then(() => handle(followed?.call ?? call, dependencies));
    running.add(walking);
    const forget = () => running.delete(walking);
    walking.then(forget, forget);
    return followed ? followed.reply(walking) : walking;
  }

  const walkOn = (call: Call) => walk(call, catalog.meet(call));
  const forwarding = createForwarding({ rooms, credentials, catalog, suspended, ongoing, walk: walkOn });

  const notes = servesNotes ? createResourceGateway((call) => walk(call), watchNote) : undefined;

  const name = settings.only ? `mcp-server/${settings.only}` : 'sekisho';
  const gateway: Gateway = {
    info: { name, version: options.version ?? '0.0.0', title: 'Sekisho' },
    instructions: instructionsFor(settings),
    locale: settings.locale,
    async list(arrival) {
      const caller = await identifyArrival(arrival, {}, credentials);
      await catalog.settle();
      return (await catalog()).offered(caller);
    },
    call: async (call) => (await forwarding.reply(call)) ?? walkOn(call),
    async resume(connectionId) {
      if (dependencies.flow) (await flow()).resume(connectionId);
    },
    async leave(arrival) {
      if (arrival.connectionId === undefined) return;
      suspended.leave(arrival.connectionId);
      ongoing.leave(arrival.connectionId);
      forwarding.leave(arrival.connectionId);
      await trials.held.leave(arrival.connectionId);
      const store = await rooms.store.opened();
      if (store) await endQuestions(store.approvals, arrival.connectionId, now());
      attendance.leave(arrival.connectionId);
      (await flow.opened())?.forget(arrival.connectionId);
      (await rooms.pipelines.opened())?.leave(arrival.connectionId);
      await (await rooms.upstreams.opened())?.leave(arrival.connectionId);
      await (await rooms.commands.opened())?.endSession(arrival.connectionId);
      await team.leave(arrival);
    },
    ...joinUpstreamRequests(settings, rooms, (call) => walk(call), notes),
    onListChanged(listener) {
      const ends = [catalog.onChanged(() => listener(undefined)), team.onChanged(listener)];
      return () => {
        for (const end of ends) end();
      };
    },
    async admits(arrival) {
      const caller = await identifyArrival(arrival, {}, credentials);
      if (caller.kind !== 'anonymous') return admissionOf(caller);
      // If OAuth is configured, the refusal tells the client to get a token.
      if (settings.http.oauth) {
        return { ok: false, reason: caller.reason ?? 'no_credential', problem: caller.problem };
      }
      // An agent has no credential before it authenticates, and may send it as an argument: the call decides.
      if (team.credentials && caller.reason === 'no_credential') return { ok: true };
      return { ok: false, reason: caller.reason ?? 'no_credential' };
    },
  };

  const { operator, history } = createOperator(rooms, team, notices, now);
  const tending = keepTo(settings.retention, rooms, options.onFault);
  return {
    gateway,
    settings,
    rooms,
    team,
    notices,
    store: () => rooms.store(),
    operator,
    history,
    native: createNative(rooms, prompts),
    watch: watchers.add,
    policy: policyInspector,
    identify: (arrival) => identifyArrival(arrival, {}, credentials),
    async close(graceMs = 0) {
      const ended = Promise.allSettled([...running]);
      if (running.size > 0) {
        const timer = setTimeout(() => stopping.abort(), graceMs);
        await ended;
        clearTimeout(timer);
      }
      stopping.abort();
      await tending.stop();
      await notices.close();
      await trials.held.close();
      await Promise.all([rooms.close(), watchers.close()]);
    },
  };
}

/**
 * Ends the questions of a session that has ended, after a quarter of an hour: until then, the client may come back and send
 * the same call again.
 */
async function endQuestions(approvals: ApprovalStore, sessionId: string, nowMs: number): Promise<void> {
  const pending = await approvals.list('pending', nowMs);
  for (const { id } of pending.filter((each) => each.sessionId === sessionId))
    await approvals.shorten(id, nowMs + goneMs);
}

const goneMs = 15 * 60_000;

/** Tokens of other issuers are replaced while a session lasts, so the session belongs to the holder. */
function admissionOf(caller: Caller): Admission {
  const { scopes, scopeNames, sessionId } = caller;
  const observes = mayObserve(caller);
  if (!scopes) return { ok: true, observes };
  return {
    ok: true,
    observes,
    holder: sessionId,
    lacksAdmin: scopes.includes('admin') ? undefined : (scopeNames?.admin ?? 'admin'),
  };
}

/** Removes old records in a running server, a minute after its start and a few times a day. */
function keepTo(
  { auditMs, eventsMs }: Settings['retention'],
  rooms: Rooms,
  onFault: (error: unknown) => void = () => {},
): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let forgetting: Promise<unknown> = Promise.resolve();

  function later(ms: number): void {
    timer = setTimeout(() => {
      forgetting = rooms
        .store()
        .then((store) => store.forgetOld())
        .catch(onFault)
        .finally(() => later(everyMs));
    }, ms).unref();
  }

  if (auditMs !== undefined || eventsMs !== undefined) later(firstMs);
  return {
    async stop() {
      clearTimeout(timer);
      await forgetting;
      clearTimeout(timer);
    },
  };
}

const firstMs = 60_000;
const everyMs = 6 * 60 * 60 * 1000;
