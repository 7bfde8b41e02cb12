import { relative } from 'node:path';
import type { Place } from '../contract/capabilities/files.ts';
import { ToolError } from '../contract/error.ts';
import { text } from '../contract/text/text.ts';
import { cancelled } from '../ground/errors/cancelled.ts';
import { defer } from '../ground/waiting/defer.ts';
import { type Stages, type Started, startConfined, startPlain } from './start.ts';

/** Runs ripgrep on the folder or file of a place, and passes its output on. */
export type Ripgrep = ReturnType<typeof createRipgrep>;

export interface RipgrepRun {
  readonly below: Place;
  /** Options only; the path is added. */
  readonly args: readonly string[];
  readonly signal: AbortSignal;
  readonly onOutput: (chunk: Buffer) => void;
}

export interface RipgrepOptions {
  /** Finds the binary; called on first use, since not every server searches. */
  readonly program: () => Promise<string>;
  /** The sandbox, once commands have run in it; see `createSearch`. */
  readonly confined: () => Promise<Stages | undefined>;
  readonly timeoutMs: number;
  readonly hiddenPaths: readonly string[];
}

export function createRipgrep({ program, confined, timeoutMs, hiddenPaths }: RipgrepOptions) {
  async function start(below: Place, args: readonly string[]): Promise<Started> {
    const path = await program();
    const stages = await confined().catch((error: unknown) => {
      // Without a sandbox no command has run either.
      if (error instanceof ToolError && error.code === 'unavailable') return undefined;
      throw error;
    });
    return stages ? startConfined(path, args, below, stages) : startPlain(path, args, below);
  }

  return {
    /** Resolves with the exit code and the start of the error output. */
    async run({
      below,
      args,
      signal,
      onOutput,
    }: RipgrepRun): Promise<{ readonly code: number; readonly complaint: string }> {
      if (signal.aborted) throw cancelled('search');
      const deadline = AbortSignal.timeout(timeoutMs);
      const either = AbortSignal.any([signal, deadline]);
      const child = await start(below, [...always, ...args, ...exclusions(below.hostPath, hiddenPaths)]);
      const stop = () => child.kill();
      either.addEventListener('abort', stop, { once: true });
      if (either.aborted) stop();
      let complaint = '';
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
        if (complaint.length < maxComplaintChars) complaint += chunk;
      });
      child.stdout.on('data', onOutput);
      using _ = defer(() => either.removeEventListener('abort', stop));
      const code = await child.ended;
      if (signal.aborted) throw cancelled('search');
      if (deadline.aborted) throw tookTooLong(timeoutMs);
      return { code, complaint };
    },
  };
}

/** The last glob wins, so these come after the caller's. */
function exclusions(folder: string, hiddenPaths: readonly string[]): readonly string[] {
  return hiddenPaths.flatMap((path) => {
    const inner = relative(folder, path);
    if (inner === '' || inner.startsWith('../')) return [];
    return [`--glob=!/${inner.replace(/[\\*?[\]{}!]/g, '\\$&')}`];
  });
}

const maxComplaintChars = 4096;

/** Ignores the user's configuration, follows no links, prints no colours and no messages about unreadable files. */
const always = ['--no-config', '--no-follow', '--color=never', '--no-messages'];

function tookTooLong(timeoutMs: number): ToolError {
  const seconds = timeoutMs / 1000;
  return new ToolError(
    'timed_out',
    `The search took longer than ${seconds} s.`,
    `検索が ${seconds} 秒を超えました。`,
    text('Search a smaller folder.', 'より小さなフォルダーを検索してください。'),
  );
}
