import type { ApproveDependencies, Policy } from '../call/approve.ts';
import { createAttendance } from '../call/asking/attendance.ts';
import type { ConsentDependencies } from '../call/asking/consent.ts';
import { type Dependencies, handle } from '../call/handle.ts';
import type { Credentials } from '../call/identify.ts';
import { Ongoing } from '../call/ongoing.ts';
import type { RunDependencies } from '../call/run.ts';
import { createSeal } from '../call/seal.ts';
import { Suspended } from '../call/suspended.ts';
import type { Settings } from '../config/settings.ts';
import type { Call, Reply } from '../contract/call.ts';
import type { EffectRules } from '../contract/effects.ts';
import type { ApprovalStore } from '../contract/records.ts';
import { once } from '../ground/once.ts';
import { deriveKey } from '../store/derived-key.ts';
import type { Prompts } from '../store/prompts.ts';
import type { LiveCatalog } from './catalog.ts';
import { createTrials } from './effects.ts';
import { createForwarding, Holds } from './forwarding.ts';
import { createAttribution } from './history.ts';
import { createLenders, lenderForRisk, withPlans } from './lending.ts';
import type { Notices } from './notify.ts';
import type { Watchers } from './observe.ts';
import type { Rooms } from './rooms.ts';
import type { TeamRoom } from './team.ts';
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
export type Road = ReturnType<typeof createRoad>;

/** Each part is made from those above it. */
export function createRoad(parts: RoadParts) {
  const { settings, rooms, catalog, credentials, now } = parts;
  const { locale } = settings;
  const stopping = new AbortController();
  const holds = new Holds(rooms);
  const hold = (key: string) => holds.hold(key);
  const ongoing = new Ongoing({ locale, hold });
  const seal = createSeal(() => deriveKey(settings.stateFolder, 'questions'));
  const suspended = new Suspended({ seal, stopping: stopping.signal, hold });
  const attendance = createAttendance();
  const asking: ConsentDependencies = {
    approvals: async () => {
      // A call that reads approvals may create a question, so the notifier starts here.
      parts.notices.begin();
      return (await rooms.store()).approvals;
    },
    ...settings.approval,
    attendance,
    seal,
    locale,
    program: parts.program,
    recordFlags: settings.recordFlags,
    now,
  };
  const trials = createTrials(rooms, parts.effectRules, asking);
  const judged = { asking, policy: parts.policy, whyNoLayer: trials.whyNoLayer };
  const lenders = withPlans(createLenders(rooms, parts.team, ongoing, catalog), {
    ...judged,
    catalog,
    mode: settings.mode,
  });
  const audit = async () => (await rooms.store()).audit;
  const approving: ApproveDependencies = {
    ...judged,
    lendForRisk: lenderForRisk(lenders),
    suspended,
    audit,
    root: settings.roots[0]?.path,
    held: trials.held,
  };
  const running: RunDependencies = {
    locale,
    lend: async (name, permit) => lenders[name](permit),
    attributed: createAttribution(settings, rooms),
    lendCommands: trials.lendCommands,
    suspended,
    stopping: stopping.signal,
  };
  const flow = createFlow(settings);
  const dependencies: Dependencies = {
    now,
    locale,
    credentials,
    catalog,
    limiting: { rules: settings.rateRules, rates: async () => (await rooms.store()).rates },
    flow: { flow, prompts: parts.prompts, mode: settings.mode, now },
    approving,
    running,
    recording: {
      audit,
      keepsHistory: settings.history.enabled,
      watch: parts.watchers.begin,
      onFault: parts.onFault,
    },
  };

  const walks = new Set<Promise<unknown>>();
  /** Closing waits for every running call, including protocol methods. */
  function walk(call: Call, ready: Promise<unknown> = Promise.resolve()): Promise<Reply> {
    const followed = mayOutlast(call, settings) ? ongoing.follow(call) : undefined;
    const walking = parts.watchers.ready(ready).then(() => handle(followed?.call ?? call, dependencies));
    walks.add(walking);
    const forget = () => walks.delete(walking);
    walking.then(forget, forget);
    return followed ? followed.reply(walking) : walking;
  }
  const walkOn = (call: Call) => walk(call, catalog.meet(call));
  const forwarding = createForwarding({ rooms, credentials, catalog, suspended, ongoing, holds });
  holds.open(walkOn);

  return {
    approving,
    /** A call of a client; another server of the store may have to handle it. */
    call: async (call: Call) => (await forwarding.reply(call)) ?? walkOn(call),
    /** The request of a protocol method, which is a call of ours. */
    walk: (call: Call) => walk(call),
    async resume(sessionId: string) {
      (await flow?.())?.resume(sessionId);
    },
    /** The session has ended. */
    async leave(sessionId: string) {
      for (const each of [suspended, ongoing, forwarding]) each.leave(sessionId);
      await trials.held.leave(sessionId);
      const store = await rooms.store.opened();
      if (store) await endQuestions(store.approvals, sessionId, now());
      attendance.leave(sessionId);
      (await flow?.opened())?.forget(sessionId);
      (await rooms.pipelines.opened())?.leave(sessionId);
      await (await rooms.upstreams.opened())?.leave(sessionId);
      await (await rooms.commands.opened())?.endSession(sessionId);
    },
    /** Running calls get the grace period; then they are stopped. */
    async stop(graceMs: number) {
      const ended = Promise.allSettled([...walks]);
      if (walks.size > 0) {
        const timer = setTimeout(() => stopping.abort(), graceMs);
        await ended;
        clearTimeout(timer);
      }
      stopping.abort();
    },
    close: () => trials.held.close(),
  };
}

/** Only proxied tools send data to others; without them nothing need be tracked. */
function createFlow({ servers }: Settings) {
  if (!servers.some(({ enabled }) => enabled)) return undefined;
  return once(async () => {
    const { createFlowDesk } = await import('../flow/desk.ts');
    return createFlowDesk();
  });
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
