import type { ApproveDependencies, Policy } from '../call/approve.ts';
import { createAttendance } from '../call/asking/attendance.ts';
import type { ConsentDependencies } from '../call/asking/consent.ts';
import { type Dependencies, handle } from '../call/handle.ts';
import type { Credentials } from '../call/identify.ts';
import { Repeats } from '../call/limits/repeats.ts';
import { Ongoing } from '../call/ongoing.ts';
import type { RunDependencies } from '../call/run.ts';
import { createSeal } from '../call/seal.ts';
import { Suspended } from '../call/suspended.ts';
import type { Settings } from '../config/settings.ts';
import type { Call, Reply } from '../contract/call.ts';
import type { EffectRules } from '../contract/effects.ts';
import type { ApprovalStore } from '../contract/records.ts';
import { personStops } from '../ground/waiting/abort.ts';
import { once } from '../ground/waiting/once.ts';
import { deriveKey } from '../store/derived-key.ts';
import type { Prompts } from '../store/prompts.ts';
import type { LiveCatalog } from './catalog.ts';
import { createTrials, type Trials } from './effects.ts';
import { createForwarding, type Forwarding, Holds } from './fleet/forwarding.ts';
import type { TeamRoom } from './fleet/team.ts';
import { createAttribution } from './history.ts';
import { createLenders, lenderForRisk, withPlans } from './lending.ts';
import type { Notices } from './operating/notify.ts';
import type { Watchers } from './operating/observe.ts';
import type { Rooms } from './rooms.ts';
import { mayOutlast } from './toolsets.ts';

export interface RoadParts {
  readonly settings: Settings;
  readonly rooms: Rooms;
  readonly team: TeamRoom;
  readonly catalog: LiveCatalog;
  readonly credentials: Credentials;
  readonly policy: () => Promise<Policy>;
  readonly effectRules: () => Promise<EffectRules>;
  readonly notices: Notices;
  readonly prompts: Prompts;
  readonly watchers: Watchers;
  readonly now: () => number;
  /** The command of this program in replies that suggest commands. */
  readonly program: string;
  readonly onFault: ((error: unknown) => void) | undefined;
}

/** The road of calls, with all that its stops need, and the sessions that are on it. */
export class Road {
  readonly approving: ApproveDependencies;
  readonly #parts: RoadParts;
  readonly #stopping = new AbortController();
  /** Ends each call on the road. */
  readonly #endings = new Set<AbortController>();
  #isWatched = false;
  readonly #attendance = createAttendance();
  readonly #walks = new Set<Promise<unknown>>();
  readonly #ongoing: Ongoing;
  readonly #suspended: Suspended;
  readonly #trials: Trials;
  readonly #flow: ReturnType<typeof createFlow>;
  readonly #stops: Dependencies;
  readonly #forwarding: Forwarding;

  /** Each part is made from those above it. */
  constructor(parts: RoadParts) {
    const { settings, rooms, catalog, credentials, now } = parts;
    const { locale } = settings;
    const holds = new Holds(rooms);
    const hold = (key: string) => holds.hold(key);
    const stopping = this.#stopping.signal;
    const seal = createSeal(() => deriveKey(settings.stateFolder, 'questions'));
    const ongoing = new Ongoing({ locale, hold });
    const suspended = new Suspended({ seal, stopping, hold });
    const asking: ConsentDependencies = {
      approvals: async () => {
        // A call that reads approvals may create a question, so the notifier starts here.
        parts.notices.begin();
        return (await rooms.store()).approvals;
      },
      ...settings.approval,
      attendance: this.#attendance,
      seal,
      locale,
      program: parts.program,
      recordFlags: settings.recordFlags,
      now,
    };
    const trials = createTrials(rooms, parts.effectRules, asking, rooms.caps);
    const repeats = new Repeats(settings.limits.repeats, settings.mode !== 'full-access');
    const judged = { asking, policy: parts.policy, whyNoLayer: trials.whyNoLayer };
    const planning = { ...judged, catalog, mode: settings.mode };
    const lenders = withPlans(createLenders(rooms, parts.team, ongoing, catalog), planning);
    const audit = async () => (await rooms.store()).audit;
    this.approving = {
      ...judged,
      lendForRisk: lenderForRisk(lenders),
      suspended,
      audit,
      root: settings.roots[0]?.path,
      pending: trials.pending,
      repeats,
    };
    const running: RunDependencies = {
      locale,
      lend: async (name, permit) => lenders[name](permit),
      attributed: createAttribution(settings, rooms),
      lendCommands: trials.lendCommands,
      suspended,
      stopping,
    };
    this.#parts = parts;
    this.#ongoing = ongoing;
    this.#suspended = suspended;
    this.#trials = trials;
    this.#flow = createFlow(settings);
    this.#stops = {
      now,
      locale,
      credentials,
      catalog,
      limiting: {
        rules: settings.rateRules,
        rates: async () => (await rooms.store()).rates,
        caps: rooms.caps,
        repeats,
        halts: rooms.halts,
      },
      flow: { flow: this.#flow, prompts: parts.prompts, mode: settings.mode, now },
      approving: this.approving,
      running,
      recording: {
        audit,
        keepsHistory: settings.history.enabled,
        hiding: rooms.hiding,
        watch: parts.watchers.begin,
        onFault: parts.onFault,
      },
    };
    this.#forwarding = createForwarding({ rooms, credentials, catalog, suspended, ongoing, holds });
    holds.open((call) => this.#walkOn(call));
  }

  /** A call of a client; another server of the store may have to handle it. */
  async call(call: Call): Promise<Reply> {
    return (await this.#forwarding.reply(call)) ?? this.#walkOn(call);
  }

  /** The request of a protocol method, which is a call of ours. Closing waits for it like for any other. */
  walk(call: Call, ready: Promise<unknown> = Promise.resolve()): Promise<Reply> {
    const { settings, watchers } = this.#parts;
    this.#watchHalts();
    const followed = mayOutlast(call, settings) ? this.#ongoing.follow(call) : undefined;
    const own = followed?.call ?? call;
    const ending = new AbortController();
    const end = () => ending.abort(own.signal.reason);
    if (own.signal.aborted) end();
    own.signal.addEventListener('abort', end, { once: true });
    this.#endings.add(ending);
    const walked = { ...own, signal: ending.signal };
    const walking = watchers.ready(ready).then(() => handle(walked, this.#stops));
    this.#walks.add(walking);
    const forget = () => {
      own.signal.removeEventListener('abort', end);
      this.#endings.delete(ending);
      this.#walks.delete(walking);
    };
    walking.then(forget, forget);
    return followed ? followed.reply(walking) : walking;
  }

  #watchHalts(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    this.#parts.rooms.halts.watch(() => void this.#halt(), this.#stopping.signal);
  }

  /** A person stopped all work: calls and background commands end, and later calls are refused at `limit`. */
  async #halt(): Promise<void> {
    for (const ending of this.#endings) ending.abort(personStops);
    this.#suspended.leave();
    await (await this.#parts.rooms.commands.opened())?.endBackgrounds(personStops);
  }

  #walkOn(call: Call): Promise<Reply> {
    return this.walk(call, this.#parts.catalog.meet(call));
  }

  async resume(sessionId: string): Promise<void> {
    (await this.#flow?.())?.resume(sessionId);
  }

  /** The session has ended. */
  async leave(sessionId: string): Promise<void> {
    const { rooms, now } = this.#parts;
    for (const each of [this.#suspended, this.#ongoing, this.#forwarding, this.#stops.limiting.repeats])
      each.leave(sessionId);
    await this.#trials.pending.leave(sessionId);
    const store = await rooms.store.opened();
    if (store) await endQuestions(store.approvals, sessionId, now());
    this.#attendance.leave(sessionId);
    (await this.#flow?.opened())?.forget(sessionId);
    (await rooms.pipelines.opened())?.leave(sessionId);
    await (await rooms.upstreams.opened())?.leave(sessionId);
    await (await rooms.commands.opened())?.endSession(sessionId);
  }

  /** Running calls get the grace period; then they are stopped. */
  async stop(graceMs: number): Promise<void> {
    const ended = Promise.allSettled([...this.#walks]);
    if (this.#walks.size > 0) {
      const timer = setTimeout(() => this.#stopping.abort(), graceMs);
      await ended;
      clearTimeout(timer);
    }
    this.#stopping.abort();
  }

  close(): Promise<void> {
    return this.#trials.pending.close();
  }
}

/** Only proxied tools send data to others; without them nothing need be tracked. */
function createFlow({ servers }: Settings) {
  if (!servers.some(({ enabled }) => enabled)) return undefined;
  return once(async () => {
    const { createFlowDesk } = await import('../flow/desk.ts');
    return createFlowDesk();
  });
}

/** Ends a session's questions a quarter of an hour after it: the client may come back with the same call. */
async function endQuestions(approvals: ApprovalStore, sessionId: string, nowMs: number): Promise<void> {
  const pending = await approvals.list('pending', nowMs);
  for (const { id } of pending.filter((each) => each.sessionId === sessionId))
    await approvals.shorten(id, nowMs + goneMs);
}

const goneMs = 15 * 60_000;
