import { randomUUID } from 'node:crypto';
import type { ConsolePerson } from '../contract/console.ts';
import type { ConsoleDesk } from './desk.ts';

/** Something that a person did here, as the log has it. */
export interface Act {
  /** As the command line would have it: `sekisho approve`. */
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly outcome: 'ok' | 'error';
  readonly code?: string | undefined;
  readonly facts?: Readonly<Record<string, unknown>> | undefined;
}

/** Writes an act into the log, under the person's name; it is on disk when this returns. */
export async function recordAct(desk: ConsoleDesk, person: ConsolePerson, act: Act): Promise<void> {
  await (await desk.audit()).write({
    ...act,
    id: randomUUID(),
    atMs: desk.now(),
    principal: person.name,
    sessionId: '',
    transport: 'console',
    stop: 'run',
    durationMs: 0,
    inputBytes: 0,
    outputBytes: 0,
  });
}
