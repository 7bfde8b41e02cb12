import { randomUUID } from 'node:crypto';
import type { Call, Reply } from '../contract/call.ts';
import type { Caller } from '../contract/caller.ts';
import { ToolError } from '../contract/error.ts';
import type { CallWatch } from '../contract/observe.ts';
import type { AuditLog, AuditRecord, CallStop, StartNote } from '../contract/records.ts';
import type { Text } from '../contract/text/text.ts';
import type { Tool } from '../contract/tool/tool.ts';
import { withoutSecrets } from '../ground/secrets/without-secrets.ts';
import { redact, redactText } from '../ground/text/redact.ts';
import type { RunNotes } from './run.ts';

/** The record of a call in progress. Each stop notes that it was reached. */
export type OpenRecord = ReturnType<typeof openRecord>;

/** Opens the record of a call; from here on every call is recorded, refused ones too. */
export function openRecord(call: Call, now: () => number, watch?: CallWatch) {
  const id = call.auditId ?? randomUUID();
  const atMs = now();
  let stop: CallStop = 'identify';
  let caller: Caller | undefined;
  let input: unknown;
  let tool: Tool | undefined;
  let rule: string | undefined;
  let approver: string | undefined;
  const facts: Record<string, unknown> = {};
  const waitsFor: Promise<void>[] = [];
  let isBegun = false;
  let note: StartNote | undefined;
  let noted: Promise<void> | undefined;
  /** Something may have been changed, so no reply leaves before the record is on disk. */
  let isDurable = false;
  let redacted: unknown;

  function waitForNote(): Promise<void> {
    isDurable = true;
    noted ??= note?.durable() ?? Promise.resolve();
    return noted;
  }

  /** The facts of the call so far. */
  function known(): Omit<AuditRecord, 'outcome' | 'durationMs' | 'outputBytes'> {
    const { arrival } = call;
    if (caller) redacted ??= redact(input, tool?.secrets ?? []);
    return {
      id,
      atMs,
      principal: caller?.principal ?? 'unidentified',
      sessionId: caller?.sessionId ?? '',
      transport: arrival.transport,
      client: arrival.client ? `${arrival.client.name} ${arrival.client.version}` : undefined,
      tool: redactText(call.tool),
      arguments: redacted,
      stop,
      rule,
      approver,
      inputBytes: sizeOf(input),
      facts: factsOf(callerFacts(caller, arrival), facts),
      traceId: watch?.trace?.traceId ?? arrival.traceparent?.split('-')[1],
    };
  }

  return {
    id,
    facts,
    /** The call as far as it is known. */
    made: () => ({ caller, tool, input }),
    inputBytes: () => sizeOf(input),
    meta: {} as RunNotes['meta'],
    told: [] as Text[],
    waitsFor,
    noted: waitForNote,
    trace: watch?.trace,
    reached(next: CallStop) {
      stop = next;
      watch?.reached(next);
    },
    knows(known: {
      readonly caller?: Caller;
      readonly input?: unknown;
      readonly tool?: Tool | undefined;
      readonly rule?: string;
      readonly approver?: string | undefined;
    }) {
      caller = known.caller ?? caller;
      input = known.input ?? input;
      tool = known.tool ?? tool;
      rule = known.rule ?? rule;
      approver = known.approver ?? approver;
    },
    /**
     * Notes that the call is about to run, so that it is in the log whatever happens to this process. If the call may
     * change something, the note is on disk when this returns, or, with `keepsHistory`, before a tool that only changes
     * files changes one. Throws if no record can be written now.
     */
    async begin(log: AuditLog, keepsHistory: boolean) {
      const record = { ...known(), outcome: 'interrupted', durationMs: 0, outputBytes: 0 } as const;
      isDurable = tool !== undefined && !tool.annotations.readOnly;
      note = await log.begin(record, { mayChange: isDurable });
      // A client that does the work itself does not report each change to us first.
      if (keepsHistory && tool?.changesFiles && !call.carry) isDurable = false;
      if (isDurable) await waitForNote();
      isBegun = true;
    },
    /** Whether the call was begun and may have changed something. */
    isBegun: () => isBegun && isDurable,
    /** Writes the entry: if the call may have changed something, both are durable before this returns. */
    async close(reply: Reply, thrown: unknown, log: AuditLog, hide?: <T>(value: T) => T) {
      // The sentence of the refusal: a rule's id alone says little to later readers of the call.
      if (reply.kind === 'error' && reply.code === 'denied') facts.refusal = redactText(reply.text);
      const whole: AuditRecord = {
        ...known(),
        rule: rule ?? refusingRule(thrown),
        approver: approver ?? answerer(thrown),
        outcome: reply.kind === 'output' ? (reply.isError ? 'error' : 'ok') : reply.kind,
        code: reply.kind === 'error' ? reply.code : undefined,
        cause: causeOf(thrown),
        durationMs: Math.max(0, now() - atMs),
        outputBytes: replySize(reply),
      };
      const record = hide?.(whole) ?? whole;
      watch?.reached('record');
      const written = isDurable ? log.write(record) : log.note(record);
      // Wait for all even if one fails: no reply leaves before its record is written.
      for (const outcome of await Promise.allSettled([written, ...waitsFor])) {
        if (outcome.status === 'rejected') throw outcome.reason;
      }
    },
    /** Reports the outcome to the call's watcher. */
    ended: (reply: Reply) => watch?.ended({ reply, stop, tool, approver }),
  };
}

function factsOf(
  ofCaller: Readonly<Record<string, unknown>>,
  facts: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined {
  const all = { ...ofCaller, ...facts };
  return Object.keys(all).length > 0 ? (redact(all, []) as Record<string, unknown>) : undefined;
}

function callerFacts(
  caller: Caller | undefined,
  arrival: Call['arrival'],
): Readonly<Record<string, unknown>> {
  const chain = chainOf(caller, arrival);
  const person = caller?.personName;
  return { ...(person !== undefined && { person }), ...(chain && { chain }) };
}

/** The actors and the model that act for the caller, by their proofs; undefined if it acts directly. */
function chainOf(caller: Caller | undefined, { model }: Call['arrival']): readonly string[] | undefined {
  if (!caller || (model === undefined && !caller.chain)) return undefined;
  const chain = caller.chain ?? [caller.principal];
  return model === undefined ? chain : [...chain, `model:${model}`];
}

/** The rule that refused or asked, if policy ended the call. */
function refusingRule(thrown: unknown): string | undefined {
  const named = thrown instanceof ToolError ? thrown.details?.rule : undefined;
  return typeof named === 'string' ? named : undefined;
}

/** The person or program that declined the call or closed its question. */
function answerer(thrown: unknown): string | undefined {
  const named = thrown instanceof ToolError ? thrown.details?.answered_by : undefined;
  return typeof named === 'string' ? named : undefined;
}

function causeOf(thrown: unknown): string | undefined {
  if (thrown === undefined) return undefined;
  const cause = thrown instanceof ToolError ? thrown.cause : thrown;
  if (cause === undefined) return undefined;
  const words = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  // A key spans several lines, so the text is redacted before it is split.
  return withoutSecrets(words.slice(0, 4000))
    .split('\n')
    .map((line) => redactText(line))
    .join('\n');
}

/** An estimate, without serializing the value again. */
function sizeOf(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || depth > 8) return 8;
  let size = 2;
  for (const member of Object.values(value)) size += sizeOf(member, depth + 1);
  return size;
}

function replySize(reply: Reply): number {
  if (reply.kind === 'question') return reply.question.message.length;
  if (reply.kind === 'error') return reply.text.length;
  return reply.content.reduce((size, block) => size + sizeOf(block), 0);
}
