import type { ToolOutput } from '../contract/call.ts';
import type { Capabilities, CapabilityName } from '../contract/capabilities/capabilities.ts';
import type { Commands } from '../contract/capabilities/process.ts';
import { ToolError } from '../contract/error.ts';
import { limits } from '../contract/limits.ts';
import type { Locale, Text } from '../contract/text/text.ts';
import type { BaseContext, ToolContext } from '../contract/tool/tool.ts';
import type { CallTrace } from '../contract/trace.ts';
import { cancelled } from '../ground/errors/cancelled.ts';
import type { Permit } from './slips.ts';
import type { Suspended } from './suspended.ts';

export interface RunDependencies {
  readonly locale: Locale;
  /** Lends one capability, scoped to the permit's caller and call. */
  readonly lend: <N extends CapabilityName>(name: N, permit: Permit) => Promise<Capabilities[N]>;
  /** Runs a tool so that its changes are attributed to this call. */
  readonly attributed: <T>(permit: Permit, notes: RunNotes, work: () => Promise<T>) => Promise<T>;
  /** Lends commands whose effects are judged for this call. */
  readonly lendCommands: (permit: Permit, notes: RunNotes) => Promise<Commands>;
  /** Calls that wait for a person between two requests. */
  readonly suspended: Suspended;
  /** Aborts when the server was told to stop and its grace period is over. */
  readonly stopping: AbortSignal;
}

/** Notes that a tool makes about its call while it runs. */
export interface RunNotes {
  /** The id of the call's audit entry. */
  readonly id: string;
  readonly facts: Record<string, unknown>;
  readonly meta: Record<string, unknown>;
  readonly trace: CallTrace | undefined;
  /** Words of ours below the tool's reply. */
  readonly told: Text[];
  /** A person approved the effects. */
  knows(facts: { readonly approver?: string | undefined }): void;
  /** Resolves when the note that the call has begun would survive a power cut; nothing is changed before. */
  noted(): Promise<void>;
  /** Work that the reply waits for beside the record: changes on their way to the disk. */
  readonly waitsFor: Promise<void>[];
}

/** Runs the tool with the capabilities that it named in `uses`, and no others. */
export async function run(
  permit: Permit,
  dependencies: RunDependencies,
  notes: RunNotes,
): Promise<ToolOutput> {
  const { call, tool, caller } = permit;
  const signal = AbortSignal.any([call.signal, dependencies.stopping]);
  assertNotCancelled(signal);
  const patienceMs = Math.max(
    minPatienceMs,
    (call.patienceMs ?? limits.callMs) - (performance.now() - (call.beganAt ?? performance.now())),
  );
  const base: BaseContext = {
    caller,
    signal,
    locale: dependencies.locale,
    replyBytes: call.replyBytes ?? limits.replyBytes,
    judged: permit.risk,
    patienceMs,
    progress: (done, total, message) => call.progress?.(done, total, message),
    audit: (facts) => void Object.assign(notes.facts, facts),
    meta: (facts) => void Object.assign(notes.meta, facts),
    elicit: call.form,
    trace: notes.trace,
  };
  const context: Record<string, unknown> = { ...base };
  for (const name of tool.uses)
    context[name] = await (name === 'commands'
      ? dependencies.lendCommands(permit, notes)
      : dependencies.lend(name, permit));
  call.runs?.({ id: notes.id, sessionId: caller.sessionId, patienceMs });
  try {
    // The context was filled from `uses`; the tool's own types checked the same when it was defined.
    const work = (lent: BaseContext) =>
      tool.run(permit.input, { ...context, ...lent } as unknown as ToolContext<CapabilityName>);
    const mayWait =
      tool.server !== undefined && (call.carriesForms === true || call.questionState !== undefined);
    const ours = () => (mayWait ? dependencies.suspended.run(permit, base, work) : work(base));
    return await dependencies.attributed(permit, notes, () =>
      call.carry ? call.carry(ours, signal) : ours(),
    );
  } catch (error) {
    // A withdrawn call is reported as withdrawn, however the tool noticed it.
    if (signal.aborted && !(error instanceof ToolError)) throw cancelled('call', error);
    throw error;
  }
}

function assertNotCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw cancelled();
}

/** The least time left to a tool, however long a person thought; most commands end within it. */
const minPatienceMs = 2000;
