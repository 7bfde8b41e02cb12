import { closeSync, fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import type { HeldClient, Peers } from '../../checkpoint/index.ts';
import { descriptors } from './memory-names.ts';

export type Entrusted = Parameters<HeldClient['custody']['take']>[0];

/** A line in work, and what becomes of it if this server dies. */
interface Open {
  readonly key: number;
  readonly entrusted: Entrusted;
  /** The line, unless words are said in place of its answer. */
  readonly line?: string;
}

interface Settled {
  /** The number of the words that answer these lines. They are answered once the program has these words. */
  readonly by: number;
  readonly lines: readonly Open[];
}

/** All that counts, from which a server begins. */
interface State {
  readonly session: string;
  /** The client's bytes before this position are received. */
  readonly to: number;
  /** Lines that come before that position, and are to be taken again. */
  readonly again: string;
  readonly kept: readonly (readonly [name: string, line: string])[];
  readonly open: readonly Open[];
  readonly settled: readonly Settled[];
  /** When earlier servers were found dead. */
  readonly deathsMs: readonly number[];
}

type Entry =
  | { readonly state: State }
  | { readonly to: number; readonly open?: Open }
  | { readonly by: number; readonly keys: readonly number[] };

/**
 * A session's state in the memory of its small program, which outlives this server. An entry is written before the work
 * that it is about begins. The first page holds the program's last head, and the position of the first entry that counts.
 */
export class Notes {
  /** The position at which the next server begins. */
  readonly begun: State;
  /** The number of the last words that the program received whole. */
  readonly received: number;
  readonly #peers: Peers;
  readonly #file: number;
  readonly #up: number;
  readonly #again: Buffer;
  readonly #kept: Map<string, string>;
  readonly #open = new Map<number, Open>();
  #settled: Settled[];
  #to: number;
  #firstAt: number;
  #end: number;
  #freedTo = 0;
  #keys: number;

  /** Of the program with this process number. `session` names a session that begins. */
  constructor(pid: number, session: string, peers: Peers) {
    this.#peers = peers;
    this.#file = openSync(`/proc/${pid}/fd/${descriptors.notes}`, 'r+');
    this.#up = openSync(`/proc/${pid}/fd/${descriptors.up}`, 'r+');
    const head = this.#read(0, headBytes);
    this.received = Number(head.readBigUInt64LE(8));
    this.#firstAt = Number(head.readBigUInt64LE(firstAt)) || pageBytes;
    this.#end = Math.max(fstatSync(this.#file).size, pageBytes);
    const before = { session, to: 0, again: '', kept: [], open: [], settled: [], deathsMs: [] };
    this.begun = this.#firstAt === pageBytes && this.#end === pageBytes ? before : this.#replay();
    this.#kept = new Map(this.begun.kept);
    this.#again = Buffer.from(this.begun.again);
    this.#to = this.begun.to - this.#again.length;
    this.#settled = [...this.begun.settled];
    this.#keys = Math.max(0, ...this.#settled.flatMap(({ lines }) => lines.map(({ key }) => key)));
    this.#writeState();
  }

  close(): void {
    closeSync(this.#file);
    closeSync(this.#up);
  }

  /** Work on the line that ends at `to` begins. Returns the key to settle it by. */
  take(entrusted: Entrusted, line: string, to: number): number {
    this.#keys += 1;
    const open = { key: this.#keys, entrusted, ...(entrusted.kind !== 'say' && { line: line.trimEnd() }) };
    this.#to = to;
    this.#open.set(open.key, open);
    if (entrusted.kind === 'drop') this.#kept.delete(entrusted.name);
    this.#write({ to, open });
    return open.key;
  }

  /** The client's bytes before this position need no answer. */
  receivedTo(to: number): void {
    if (to === this.#to) return;
    this.#to = to;
    this.#write({ to });
  }

  /** The words with this number answer these lines. */
  settle(by: number, keys: readonly number[]): void {
    this.#write({ by, keys });
    this.#settle(by, keys);
    if (this.#end - this.#firstAt < mostBytes) return;
    const received = Number(this.#read(0, headBytes).readBigUInt64LE(8));
    this.#settled = this.#settled.filter((each) => each.by > received);
    this.#writeState();
  }

  #settle(by: number, keys: readonly number[]): void {
    const lines = keys.flatMap((key) => this.#open.get(key) ?? []);
    this.#settled.push({ by, lines });
    close(lines, this.#open, this.#kept);
  }

  /** The rest that the dead server has left. */
  #replay(): State {
    const words = this.#read(this.#firstAt, this.#end - this.#firstAt).toString('utf8');
    const lines = words.split('\n').slice(0, -1);
    const [first, ...rest] = lines.map((line) => JSON.parse(line) as Entry);
    if (!first || !('state' in first)) throw new Error('the notes of the session do not begin');
    const { state } = first;
    const open = new Map(state.open.map((each) => [each.key, each]));
    const kept = new Map(state.kept);
    let to = state.to - Buffer.byteLength(state.again);
    const settle = ({ by, lines: settled }: Settled) => {
      if (by <= this.received) close(settled, open, kept);
    };
    for (const each of state.settled) for (const line of each.lines) open.set(line.key, line);
    state.settled.forEach(settle);
    for (const entry of rest) {
      if ('to' in entry) to = entry.to;
      if ('open' in entry && entry.open) {
        open.set(entry.open.key, entry.open);
        if (entry.open.entrusted.kind === 'drop') kept.delete(entry.open.entrusted.name);
      }
      if ('by' in entry) settle({ by: entry.by, lines: entry.keys.flatMap((key) => open.get(key) ?? []) });
    }
    const unread =
      to < state.to
        ? Buffer.from(state.again)
            .subarray(to - state.to)
            .toString('utf8')
        : '';
    const all = [...open.values()].sort((a, b) => a.key - b.key);
    return {
      session: state.session,
      to: Math.max(to, state.to),
      again: all.flatMap(({ line }) => (line === undefined ? [] : [`${line}\n`])).join('') + unread,
      kept: [...kept],
      open: [],
      settled: [{ by: this.received + 1, lines: all.filter(({ line }) => line === undefined) }],
      deathsMs: [...state.deathsMs.slice(-mostDeathsKept), Date.now()],
    };
  }

  /** Begins anew with one entry, and gives back the memory of the others. */
  #writeState(): void {
    const { session, deathsMs, to: begunTo } = this.begun;
    const [open, kept, settled] = [[...this.#open.values()], [...this.#kept], this.#settled];
    const again = this.#to < begunTo ? this.#again.subarray(this.#to - begunTo).toString('utf8') : '';
    const to = Math.max(this.#to, begunTo);
    const at = this.#end;
    this.#write({ state: { session, deathsMs, to, again, open, kept, settled } });
    const pointer = Buffer.alloc(8);
    pointer.writeBigUInt64LE(BigInt(at));
    writeSync(this.#file, pointer, 0, 8, firstAt);
    this.#firstAt = at;
    this.#peers.free(this.#file, pageBytes, at - (at % pageBytes));
  }

  #write(entry: Entry): void {
    const bytes = Buffer.from(`${JSON.stringify(entry)}\n`);
    writeSync(this.#file, bytes, 0, bytes.length, this.#end);
    this.#end += bytes.length;
    if (this.#to - this.#freedTo < mostBytes) return;
    this.#peers.free(this.#up, 0, this.#to);
    this.#freedTo = this.#to;
  }

  #read(from: number, bytes: number): Buffer {
    const buffer = Buffer.alloc(bytes);
    readSync(this.#file, buffer, 0, bytes, from);
    return buffer;
  }
}

/** Removes lines from the open ones, and keeps those that are to be kept. */
function close(lines: readonly Open[], open: Map<number, Open>, kept: Map<string, string>): void {
  for (const { key, entrusted, line = '' } of lines) {
    open.delete(key);
    if (entrusted.kind === 'keep') kept.set(entrusted.name, line);
  }
}

/** Whether an earlier server has served this program. */
export function hasNotes(pid: number): boolean {
  return statSync(`/proc/${pid}/fd/${descriptors.notes}`).size > 0;
}

const pageBytes = 4096;
const firstAt = 16;
const headBytes = 24;
const mostBytes = 256 * 1024;
const mostDeathsKept = 150;
