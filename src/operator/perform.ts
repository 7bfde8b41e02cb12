import { randomUUID } from 'node:crypto';
import { ConfigError, ToolError } from '../contract/error.ts';
import type { Person } from '../contract/people/person.ts';
import type { AuditLog, AuditRecord } from '../contract/records.ts';
import { unrecorded } from '../ground/errors/unrecorded.ts';

/** An act of a person, for the log. */
export interface Act {
  /** The command of the act: `sekisho approve`. */
  readonly tool: string;
  /** Must contain no secrets. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The session of the act; undefined if none. */
  readonly sessionId?: string | undefined;
}

/** The outcome of an act, for its caller and for the log. */
export interface ActResult<T> {
  readonly result: T;
  /** Undefined if the act succeeded. */
  readonly code?: string | undefined;
  readonly facts?: Readonly<Record<string, unknown>> | undefined;
}

/** Performs an act and writes its one record, which is durable when this returns. `work` gets the record's id. */
export type Perform = <T>(act: Act, work: (id: string) => Promise<ActResult<T>>) => Promise<T>;

/** The only writer of people's acts. A failed act is recorded too, and its error is rethrown. */
export function createPerform(person: Person, audit: () => Promise<AuditLog>, now: () => number): Perform {
  return async ({ tool, arguments: given, sessionId = '' }, work) => {
    const id = randomUUID();
    const atMs = now();
    const startedMs = performance.now();
    const about: Omit<AuditRecord, 'outcome' | 'durationMs'> = {
      id,
      atMs,
      sessionId,
      tool,
      arguments: given,
      inputBytes: 0,
      outputBytes: 0,
      principal: person.name,
      transport: person.face,
      stop: 'run',
    };
    const log = await audit();
    const note = await log.begin({ ...about, outcome: 'interrupted', durationMs: 0 }, { mayChange: true });
    await note.durable();
    const record = async (
      outcome: 'ok' | 'error',
      rest: Omit<ActResult<unknown>, 'result'>,
      cause?: unknown,
    ): Promise<void> => {
      try {
        await log.write({
          ...about,
          outcome,
          code: rest.code,
          facts: rest.facts,
          durationMs: Math.round(performance.now() - startedMs),
          ...(cause !== undefined && { cause: cause instanceof Error ? cause.message : String(cause) }),
        });
      } catch (error) {
        throw unrecorded(error);
      }
    };
    let came: Awaited<ReturnType<typeof work>>;
    try {
      came = await work(id);
    } catch (error) {
      await record('error', { code: codeOf(error) }, error);
      throw error;
    }
    const { result, ...rest } = came;
    await record(rest.code === undefined ? 'ok' : 'error', rest);
    return result;
  };
}

function codeOf(error: unknown): string {
  if (error instanceof ToolError) return error.code;
  return error instanceof ConfigError ? 'invalid_parameter' : 'internal';
}
