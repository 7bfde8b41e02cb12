import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import type { AuditLog } from '../contract/records.ts';

/** Something that a person did on the command line, as the log has it. */
export interface Act {
  /** As it was typed: `sekisho approve`. */
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly done: boolean;
  readonly code?: string | undefined;
}

/** The person at the terminal, as an approver and in the log. */
export function personHere(): string {
  return `cli:${userInfo().username}`;
}

/** Writes an act into the log, under the person's name; it is on disk when this returns. */
export async function recordAct(audit: AuditLog, { done, ...act }: Act): Promise<void> {
  await audit.write({
    ...act,
    id: randomUUID(),
    atMs: Date.now(),
    principal: personHere(),
    sessionId: '',
    transport: 'cli',
    stop: 'run',
    outcome: done ? 'ok' : 'error',
    durationMs: 0,
    inputBytes: 0,
    outputBytes: 0,
  });
}
