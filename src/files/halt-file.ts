import { mkdirSync, readFileSync, rmSync, statSync, unwatchFile, watch, watchFile } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Halt, Halts } from '../contract/halt.ts';
import { orElse } from '../ground/or-else.ts';
import { writeWhole } from '../ground/write-whole.ts';

/** A file that stops all servers of a user while it exists, whatever it holds. */
export class HaltFile implements Halts {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async current(): Promise<Halt | undefined> {
    const stat = statSync(this.#path, { throwIfNoEntry: false });
    if (!stat) return undefined;
    const { sinceMs, by } = Object(orElse(() => JSON.parse(readFileSync(this.#path, 'utf8')), {}));
    return { sinceMs: Number(sinceMs) || stat.mtimeMs, by: String(by ?? 'unknown') };
  }

  async set(halt: Halt | undefined): Promise<void> {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    if (halt) writeWhole(this.#path, JSON.stringify(halt));
    else rmSync(this.#path, { force: true });
  }

  watch(onHalt: () => void, signal: AbortSignal): void {
    const look = () => {
      if (statSync(this.#path, { throwIfNoEntry: false })) onHalt();
    };
    const poll = () => {
      watchFile(this.#path, { interval: pollMs, persistent: false }, look);
      signal.addEventListener('abort', () => unwatchFile(this.#path, look), { once: true });
    };
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      const watcher = watch(dirname(this.#path), { persistent: false, signal }, (_event, name) => {
        if (name === null || name === basename(this.#path)) look();
      });
      watcher.on('error', poll);
    } catch {
      // The system reports no changes here.
      poll();
    }
    look();
  }
}

const pollMs = 300;
