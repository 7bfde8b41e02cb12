import { setTimeout as sleep } from 'node:timers/promises';
import type { Attempt } from './attempt.ts';
import { Box } from './box.ts';
import { Before } from './losses.ts';
import { type Came, type Session, WalledServer } from './server.ts';

/** What an attempt did that it must not. */
export interface Fault {
  readonly kind: FaultKind;
  readonly attempt: Attempt;
  readonly about: string;
  /** What the server answered. */
  readonly reply: string;
}

export type FaultKind = 'outside' | 'lost' | 'planted' | 'harmed';

export interface Outcome {
  readonly ran: number;
  /** Held back, on its layer or while it ran, until a person answers. */
  readonly asked: number;
  readonly refused: number;
  readonly faults: readonly Fault[];
}

/** So many attempts a server serves before it is closed, and its records are verified. */
const perServer = 100;
/** How long a command may take before it is ended. */
const commandSeconds = 3;
/** How long the server may take to put back what it held, on a busy machine too. */
const patienceMs = 120_000;

/** Starts each attempt by a server of its user, in a box, and looks at what became of all that was there. */
export async function tryWalls(
  attempts: readonly Attempt[],
  onFault: (fault: Fault) => void = () => undefined,
): Promise<Outcome> {
  const faults: Fault[] = [];
  const counts = { ran: 0, asked: 0, refused: 0 };
  for (const isOff of [false, true]) {
    const those = attempts.filter(({ way }) => (way === 'off') === isOff);
    if (those.length === 0) continue;
    const lane = new Lane(isOff, (fault) => {
      faults.push(fault);
      onFault(fault);
    });
    try {
      for (const attempt of those) counts[await lane.try(attempt)] += 1;
    } finally {
      await lane.close();
    }
  }
  return { ...counts, faults };
}

/** One box, and one server at a time. */
class Lane {
  readonly #box: Box;
  readonly #before: Before;
  readonly #report: (fault: Fault) => void;
  #server: WalledServer | undefined;
  #tried = 0;
  #last: Attempt | undefined;

  constructor(isOff: boolean, report: (fault: Fault) => void) {
    this.#box = new Box({
      // Nobody is there to answer.
      approval: { waitMs: 100 },
      ...(isOff && { process: { layer: 'off' } }),
    });
    this.#before = new Before(this.#box.before);
    this.#report = report;
  }

  async try(attempt: Attempt): Promise<'ran' | 'asked' | 'refused'> {
    this.#tried += 1;
    this.#last = attempt;
    this.#box.put({ ...attempt.files, 'x.sh': attempt.script });
    let came: Came | undefined;
    try {
      this.#server ??= await WalledServer.start(this.#box);
      const session = await this.#server.open();
      came = await this.#start(session, attempt);
      await session.close();
    } catch (error) {
      this.#report({ kind: 'harmed', attempt, about: `no answer: ${error}`, reply: '' });
      await this.#endServer();
    }
    await this.#look(attempt, came?.text ?? '');
    if (this.#tried % perServer === 0) await this.#endServer();
    if (came?.isRefused) return 'refused';
    return came?.isAsked ? 'asked' : 'ran';
  }

  async close(): Promise<void> {
    await this.#endServer();
    this.#box.remove();
  }

  async #start(session: Session, { way }: Attempt): Promise<Came> {
    // Each call is another, so that no answer to an earlier one is its own.
    const command = `bash ./x.sh # ${this.#tried}`;
    if (way === 'beside') await session.call('bash', { command: 'sleep 600', background: true });
    if (way !== 'background') return session.call('bash', { command, timeout: commandSeconds });
    const came = await session.call('bash', { command, background: true });
    const { process_id } = came.data;
    if (process_id !== undefined) await session.call('bash_output', { process_id, wait: commandSeconds });
    return came;
  }

  async #look(attempt: Attempt, reply: string): Promise<void> {
    for (const about of this.#box.changedOutside()) this.#report({ kind: 'outside', attempt, about, reply });
    const latest = Date.now() + patienceMs;
    for (let changed = this.#box.changedInside(); changed.length > 0; changed = this.#box.changedInside()) {
      const put = Object.keys({ ...attempt.files, 'x.sh': '' });
      const lost = this.#before.lostIn(this.#box.root, put, changed);
      const planted = this.#before.plantedIn(this.#box.root);
      // What ran on the folders themselves is put back when its session ends.
      if (attempt.way !== 'run' && lost.length + planted.length > 0 && Date.now() < latest) {
        await sleep(250);
        continue;
      }
      for (const about of lost) this.#report({ kind: 'lost', attempt, about, reply });
      for (const about of planted) this.#report({ kind: 'planted', attempt, about, reply });
      break;
    }
    this.#box.restore();
  }

  async #endServer(): Promise<void> {
    const found = await this.#server?.close();
    this.#server = undefined;
    for (const about of found ?? [])
      if (this.#last) this.#report({ kind: 'harmed', attempt: this.#last, about, reply: '' });
  }
}
