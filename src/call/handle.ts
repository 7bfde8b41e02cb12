import type { Call, Reply } from '../contract/call.ts';
import type { CallWatch } from '../contract/observe.ts';
import type { AuditLog } from '../contract/records.ts';
import type { Locale } from '../contract/text/text.ts';
import { endedByHalt } from '../ground/errors/halted.ts';
import { unanswered, unrecorded } from '../ground/errors/unrecorded.ts';
import { cleanWords } from '../ground/questions/person-words.ts';
import { personStops } from '../ground/waiting/abort.ts';
import { type ApproveDependencies, approve } from './approve.ts';
import { authorize } from './authorize.ts';
import type { Catalog } from './catalog.ts';
import { type FlowDependencies, flowFacts, learnFlow, lookAtFlow } from './flow/flow.ts';
import { tellInjections } from './flow/tell-injections.ts';
import { type Credentials, identify } from './identify.ts';
import { type LimitDependencies, limit } from './limit.ts';
import type { Caps } from './limits/caps.ts';
import { type OpenRecord, openRecord } from './record.ts';
import { failureReply, outputReply } from './reply.ts';
import { type RunDependencies, run } from './run.ts';
import type { Permit } from './slips.ts';
import { validate } from './validate.ts';

/** Everything that handling a call needs, joined by the checkpoint: an object for each stop. */
export interface Dependencies {
  readonly now: () => number;
  readonly locale: Locale;
  readonly credentials: Credentials;
  readonly catalog: () => Promise<Catalog>;
  readonly limiting: LimitDependencies;
  readonly flow: FlowDependencies;
  readonly approving: ApproveDependencies;
  readonly running: RunDependencies;
  readonly recording: RecordDependencies;
}

interface RecordDependencies {
  readonly audit: () => Promise<AuditLog>;
  /** Whether the history notes each change of a file before it is made. */
  readonly keepsHistory: boolean;
  /** Gets faults that the caller is not told, such as a record that could not be written. */
  readonly onFault: ((error: unknown) => void) | undefined;
  /** Hides the values of the operator's secrets in a reply or a record; undefined if there are none. */
  readonly hiding: (() => Promise<<T>(value: T) => T>) | undefined;
  /** Counts or traces the call; undefined if neither is on. */
  readonly watch: (call: Call) => CallWatch | undefined;
}

/** Handles one call, from its arrival to its reply. It is in the audit log before the reply leaves. */
export async function handle(call: Call, dependencies: Dependencies): Promise<Reply> {
  const { recording } = dependencies;
  const record = openRecord(call, dependencies.now, recording.watch(call));
  const beganAt = call.beganAt ?? performance.now();
  const alive = keepAlive({ ...call, beganAt });
  let reply: Reply;
  let thrown: unknown;
  try {
    reply = await attempt(alive.call, dependencies, record);
  } catch (error) {
    thrown = alive.call.signal.reason === personStops ? endedByHalt(error) : error;
    reply = failureReply(thrown, record.id, dependencies.locale);
  } finally {
    alive.end();
  }
  const sent = { atMs: beganAt, bytes: record.inputBytes() };
  reply = dependencies.limiting.repeats.count(record.made(), sent, reply, dependencies.locale);
  const hide = await recording.hiding?.();
  if (hide) reply = hide(reply);
  try {
    await record.close(reply, thrown, await recording.audit(), hide);
  } catch (error) {
    recording.onFault?.(error);
    // Work that cannot be recorded is not acknowledged as done; nor does the reply claim that nothing happened.
    reply = failureReply(
      record.isBegun() ? unrecorded(error, thrown) : unanswered(error),
      record.id,
      dependencies.locale,
    );
  }
  record.ended(reply);
  return reply;
}

/** The life of one call. Read it top to bottom: this is the product. */
async function attempt(call: Call, dependencies: Dependencies, record: OpenRecord): Promise<Reply> {
  const identified = await identify(call, dependencies.credentials);
  record.knows(identified);

  record.reached('authorize');
  const catalog = await dependencies.catalog();
  // Set before authorization, so that secret arguments of a refused call are redacted too.
  record.knows({ tool: catalog.find(call.tool) });
  const authorized = authorize(identified, catalog);

  record.reached('limit');
  const paced = await limit(authorized, dependencies.limiting, dependencies.now());

  record.reached('validate');
  const validated = validate(paced);

  record.reached('approve');
  const { said } = call.arrival;
  // A session's story begins with the person's request.
  if (said !== undefined) record.facts.said = cleanWords(said);
  const flow = await lookAtFlow(validated, dependencies.flow);
  if (flow && validated.tool.flow) record.facts.flow = flowFacts(flow);
  const permit = await approve(validated, flow, dependencies.approving, record.facts);
  record.knows(permit);

  record.reached('run');
  const { audit, keepsHistory } = dependencies.recording;
  await record.begin(await audit(), keepsHistory);
  const came = await capped(permit, dependencies.limiting.caps, record, () =>
    run(permit, dependencies.running, record),
  );
  await learnFlow(permit, came, dependencies.flow);
  const { output, injections } = tellInjections(permit.tool, permit.input, came);
  if (injections.length > 0) record.facts.orders = injections;
  return outputReply(output, record, dependencies.locale);
}

/** Counts what the call uses; its commands and changes are counted where they happen. */
async function capped<T>(
  { caller, tool }: Permit,
  caps: Caps | undefined,
  record: OpenRecord,
  work: () => Promise<T>,
): Promise<T> {
  if (!caps) return work();
  const beganAt = performance.now();
  try {
    return await work();
  } finally {
    const sends = tool.server !== undefined || tool.uses.includes('web');
    caps.use(caller, {
      minutes: (performance.now() - beganAt) / 60_000,
      ...(sends && { sentBytes: record.inputBytes() }),
    });
  }
}

/** Clients abandon a call after a minute of silence; many restart that minute on any progress. */
const silenceMs = 8000;

/** Returns a call that reports progress, and what it waits for, while the work itself is silent. */
export function keepAlive(call: Call): { readonly call: Call; end(): void } {
  const { progress } = call;
  if (!progress) return { call, end() {} };
  const beganAt = performance.now();
  let told = 0;
  let last: { readonly total?: number | undefined; readonly message?: string | undefined } = {};
  const beat = setInterval(() => {
    const { total, message } = last;
    // Progress must grow to be reported, and stay below the next step of the work.
    told += 0.001;
    const seconds = Math.round((performance.now() - beganAt) / 1000);
    progress(told, total, message ?? `${call.tool}: ${seconds} s`);
  }, silenceMs);
  beat.unref();
  return {
    call: {
      ...call,
      progress(done, total, message) {
        told = Math.max(told, done);
        last = { total, message };
        beat.refresh();
        progress(done, total, message);
      },
    },
    end: () => clearInterval(beat),
  };
}
