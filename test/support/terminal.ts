import { type SpawnOptions, spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { exitOf } from './clients.ts';

/** A program at a terminal of its own, with a person who types. */
export interface Terminal {
  /** What was shown so far, with its escape sequences. */
  readonly shown: () => string;
  type(keys: string): void;
  /** Waits until these words were shown, after what was waited for before. */
  until(words: string): Promise<void>;
  readonly ended: Promise<number>;
}

/** Starts a program in a pseudo-terminal of 100 columns and 30 rows, made by `script` of util-linux. */
export function spawnInTerminal(
  command: readonly string[],
  options: Pick<SpawnOptions, 'cwd' | 'env'> = {},
): Terminal {
  const line = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const child = spawn('script', ['-qefc', `stty cols 100 rows 30; exec ${line}`, '/dev/null'], {
    ...options,
    stdio: 'pipe',
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exitOf(child);
  });
  let [shown, seen] = ['', 0];
  let look = () => {};
  child.stdout?.on('data', (chunk: Buffer) => {
    shown += chunk.toString('utf8');
    look();
  });
  const ended = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? 1)));
  return {
    shown: () => shown,
    type: (keys) => child.stdin?.write(keys),
    until: (words) =>
      new Promise((resolve, reject) => {
        look = () => {
          const at = shown.indexOf(words, seen);
          if (at < 0) return;
          seen = at + words.length;
          look = () => {};
          resolve();
        };
        look();
        void ended.then(() =>
          reject(new Error(`It ended before ${JSON.stringify(words)}: ${shown.slice(-2000)}`)),
        );
      }),
    ended,
  };
}
