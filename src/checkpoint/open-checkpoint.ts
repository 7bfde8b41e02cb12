import { createCredentials } from '../call/credentials.ts';
import { identifyArrival } from '../call/identify.ts';
import { keepOutOfDumps } from '../config/secrets/dumps.ts';
import type { Settings } from '../config/settings.ts';
import type { Arrival } from '../contract/call.ts';
import type { Caller } from '../contract/caller.ts';
import type { Gateway } from '../contract/gateway.ts';
import type { Native } from '../contract/native.ts';
import type { CallWatcher } from '../contract/observe.ts';
import type { Operator } from '../contract/people/operator.ts';
import type { Toolset } from '../contract/tool/tool.ts';
import type { TraceSettings } from '../contract/trace.ts';
import { once } from '../ground/waiting/once.ts';
import { createPrompts } from '../store/prompts.ts';
import { createLiveCatalog } from './catalog.ts';
import { createEffectRules } from './effects.ts';
import { createTeamRoom, type TeamRoom } from './fleet/team.ts';
import { createGateway } from './gateway.ts';
import { createNative } from './native.ts';
import { createNotices, type Notices } from './operating/notify.ts';
import { createWatchers } from './operating/observe.ts';
import { createOperator, type OpenedHistory } from './operating/operator.ts';
import { Retention } from './operating/retention.ts';
import type { PolicyInspector } from './policy.ts';
import { Road } from './road.ts';
import { assertSettings, Rooms, type RoomsOptions } from './rooms.ts';

export interface CheckpointOptions extends RoomsOptions {
  /** The command of this program in replies that suggest commands; default `sekisho`. */
  readonly program?: string | undefined;
  /** The role of the local caller, for policy rules. */
  readonly localRole?: string | undefined;
  /** The destination of traces; calls are not traced if undefined. */
  readonly trace?: TraceSettings | undefined;
  /** Your own toolsets, served in addition to those of the settings. */
  readonly toolsets?: readonly Toolset[] | undefined;
}

/** The whole server without a transport: opens everything on first use, connects and closes it. */
export interface Checkpoint extends AsyncDisposable {
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

/** Connects the rooms, each to those before it. Throws `ConfigError` for settings that cannot work. */
export async function openCheckpoint(
  settings: Settings,
  options: CheckpointOptions = {},
): Promise<Checkpoint> {
  const { now = Date.now, environment = process.env, onFault } = options;
  await assertSettings(settings, environment);
  if (settings.secrets.length > 0) keepOutOfDumps();
  const rooms = new Rooms(settings, options);
  const watchers = createWatchers(options);
  const catalog = createLiveCatalog(settings, rooms, options.toolsets);
  const team = createTeamRoom(settings, rooms.store, options.now);
  const credentials = createCredentials({
    tokens: async () => (await rooms.store()).tokens,
    agents: team.credentials,
    issuers: settings.http.oauth && rooms.identity,
    localRole: options.localRole,
    now,
  });
  const policy = createPolicy(settings, rooms);
  const effectRules = createEffectRules(settings);
  // A rule that fails its own examples stops start-up, not the first call; without rules nothing is loaded yet.
  if (settings.rules.length > 0) await policy();
  if (settings.effectRules.length > 0) await effectRules();
  const notices = createNotices(settings, rooms, { now, environment, onFault });
  const prompts = createPrompts(settings.stateFolder, { now, onFault });
  const base = { settings, rooms, team, catalog, credentials };
  const judging = { policy, effectRules, notices, prompts, watchers };
  const road = new Road({ ...base, ...judging, now, program: options.program ?? 'sekisho', onFault });
  const { operator, history } = createOperator(rooms, team, notices, now);
  const retention = new Retention(settings.retention, rooms, onFault);
  async function close(graceMs = 0): Promise<void> {
    await road.stop(graceMs);
    await retention.stop();
    await notices.close();
    await road.close();
    await Promise.all([rooms.close(), watchers.close()]);
  }
  return {
    gateway: createGateway({ ...base, version: options.version, road }),
    settings,
    rooms,
    team,
    notices,
    store: () => rooms.store(),
    operator,
    history,
    native: createNative(rooms, prompts),
    watch: watchers.add,
    policy: once(async () => {
      const { createPolicyInspector } = await import('./policy.ts');
      const caller = credentials.unproven({ transport: 'cli' });
      return createPolicyInspector({ settings, caller, catalog, ...road.approving });
    }),
    identify: (arrival) => identifyArrival(arrival, {}, credentials),
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

function createPolicy({ mode, rules, roots, process }: Settings, rooms: Rooms) {
  return once(async () => {
    const { createPolicy: create } = await import('../call/policy/policy.ts');
    return create({
      mode,
      rules,
      judge: await rooms.judge(),
      roots: roots.map(({ path }) => path),
      confinement: process.sandbox === 'off' ? undefined : process,
      judgement: process.judgement,
      tryFirst: process.tryFirst,
    });
  });
}
