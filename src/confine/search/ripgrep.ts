import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { ToolError } from '../../contract/error.ts';
import type { Place } from '../../contract/files.ts';
import { text } from '../../contract/text.ts';
import { HeldPlace } from '../files/place.ts';
import { enterFolder, itself, leaveFolder } from '../files/walk.ts';

/** Starts ripgrep somewhere; `confined` by what the caller of `createSearch` gave, else as a plain child. */
export interface Ripgrep {
  /**
   * Runs it in the folder, or on the one file, that `below` names, and hands out what it prints. Resolves with
   * its exit code and the start of its complaints.
   */
  run(order: RipgrepOrder): Promise<{ readonly code: number; readonly complaint: string }>;
}

export interface RipgrepOrder {
  readonly below: Place;
  readonly args: readonly string[];
  readonly signal: AbortSignal;
  readonly onOutput: (chunk: Buffer) => void;
}

/** `program` finds the binary: looked for on first use, since not every server searches. */
export function createRipgrep(program: () => Promise<string>, timeoutMs: number): Ripgrep {
  return {
    async run({ below, args, signal, onOutput }) {
      const path = await program();
      signal.throwIfAborted();
      const deadline = AbortSignal.timeout(timeoutMs);
      const child = startIn(below, path, [...always, ...args]);
      const stop = () => child.kill('SIGKILL');
      signal.addEventListener('abort', stop, { once: true });
      deadline.addEventListener('abort', stop, { once: true });
      let complaint = '';
      child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
        if (complaint.length < maxComplaintChars) complaint += chunk;
      });
      child.stdout?.on('data', onOutput);
      try {
        const code = await new Promise<number>((resolve, reject) => {
          child.once('error', reject);
          child.once('close', (exit) => resolve(exit ?? 2));
        });
        if (signal.aborted)
          throw new ToolError('cancelled', text('The search was cancelled.', '検索は取り消されました。'));
        if (deadline.aborted) throw tookTooLong(timeoutMs);
        return { code, complaint };
      } finally {
        signal.removeEventListener('abort', stop);
        deadline.removeEventListener('abort', stop);
      }
    },
  };
}

const maxComplaintChars = 4096;

/** No configuration of the user's, no link followed, no colour, no program run for any file. */
const always = ['--no-config', '--no-follow', '--color=never', '--no-messages'];

function startIn(below: Place, program: string, args: readonly string[]): ChildProcess {
  if (!(below instanceof HeldPlace)) throw new TypeError('A search starts at a place of an open workspace.');
  const environment = { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', HOME: '/nonexistent' };
  if (below.stat().kind === 'file') {
    // The file is opened by the walk and handed over, so its name is not looked up again.
    const fd = below.openRead();
    try {
      return spawn(program, [...args, '-'], { env: environment, stdio: [fd, 'pipe', 'pipe'], cwd: '/' });
    } finally {
      closeSync(fd);
    }
  }
  const folder = enterFolder(below.root, below.components, below.components.length, below.facts.hidden);
  try {
    // The child steps into the very folder that was walked to, whatever its path names by now.
    const cwd = itself(folder).replace('self', String(process.pid));
    return spawn(program, [...args, './'], { env: environment, stdio: ['ignore', 'pipe', 'pipe'], cwd });
  } finally {
    leaveFolder(below.root, folder);
  }
}

function tookTooLong(timeoutMs: number): ToolError {
  return new ToolError(
    'timed_out',
    text(`The search took longer than ${timeoutMs / 1000} s.`, `検索が ${timeoutMs / 1000} 秒を超えました。`),
    { suggestion: text('Search a smaller folder.', 'より小さなフォルダーを検索してください。') },
  );
}
