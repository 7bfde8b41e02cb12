import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openPipes } from '../command/output/os-pipe.ts';
import { createQueue } from '../command/queue.ts';
import type { Folder } from '../contract/capabilities/files.ts';
import type {
  PipelineRequest,
  PipelineResult,
  Pipelines,
  ShelfEntry,
  StageWalls,
} from '../contract/capabilities/pipeline.ts';
import { ToolError } from '../contract/error.ts';
import { limits } from '../contract/limits.ts';
import { openLocks } from '../files/changing/lock.ts';
import { readAtNow } from '../files/io.ts';
import { asUnprotected } from '../files/workspace.ts';
import { defer } from '../ground/waiting/defer.ts';
import { lazy, once } from '../ground/waiting/once.ts';
import type { Semaphore } from '../ground/waiting/semaphore.ts';
import { createBuiltins } from './builtins.ts';
import { expandGlob } from './names/glob.ts';
import { escaped } from './operands.ts';
import { createOutputShelf, type OutputShelf } from './output.ts';
import { createShelf, type Shelf } from './programs.ts';
import { Mirror } from './records/mirror.ts';
import { assertTarget, createRecords } from './records/records.ts';
import { type RunnerOptions, runPipeline } from './run.ts';
import { createWorkingFolders } from './sessions.ts';
import { measureStart } from './start-program.ts';
import { createCodeIndex } from './symbols/code-index.ts';
import { createCodeParser } from './symbols/parser.ts';

export interface PipelinesOptions {
  /** The workspace with its protected names. */
  readonly folder: Folder;
  /** A separate folder for pipelines, outside the workspace. */
  readonly stateFolder: string;
  /** Starts stages in the sandbox; throws `unavailable` if none works. There is no other way to start one. */
  readonly stages: () => Promise<StageWalls>;
  readonly shelf?: Shelf | undefined;
  /** Milliseconds since 1970, with fractions. */
  readonly clock?: (() => number) | undefined;
}

/** Opens the room and repairs the mirror after a crash. Loads no sandbox before the first pipeline. */
export async function openPipelines(options: PipelinesOptions) {
  const { folder } = options;
  const shelf = options.shelf ?? createShelf();
  const locks = lazy(openLocks);
  const unprotected = asUnprotected(folder);
  const mirrors = folder.roots.map(
    (_, rootIndex) => new Mirror({ folder: unprotected, rootIndex, locks, clock: options.clock }),
  );
  const records = createRecords(folder, mirrors);
  const folders = createWorkingFolders(folder);
  const sessions = new Map<string, { readonly outputs: OutputShelf; readonly queue: Semaphore }>();
  const run = join(options.stateFolder, `run-${process.pid}-${randomUUID().slice(0, 8)}`);
  const underWay = new Set<AbortController>();
  const parser = createCodeParser();
  const builtins = createBuiltins({
    folder,
    records,
    index: createCodeIndex({ folder, stateFolder: options.stateFolder, parser }),
  });
  const runner = {
    folder,
    shelf,
    makePipe: once(openPipes),
    stages: options.stages,
    startingBytes: measuredOnce(),
    nameFolder: join(run, 'names'),
    temporaryFolder: join(run, 'tmp'),
    now: () => performance.now(),
  };
  for (const [index, mirror] of mirrors.entries())
    if (folder.roots[index]?.writable) await mirror.reading(() => undefined);

  function stateOf(session: string) {
    const state = sessions.get(session) ?? {
      outputs: createOutputShelf(join(run, 'out', randomUUID())),
      queue: createQueue(limits.commandsAtOnce, limits.commandsWaiting),
    };
    sessions.set(session, state);
    return state;
  }

  async function runFor(session: string, request: PipelineRequest): Promise<PipelineResult> {
    for (const { work } of request.stages)
      if (work.kind === 'tee') assertTarget(folder, work.target, request.folder.path);
    const { outputs, queue } = stateOf(session);
    const leaveQueue = await queue.acquire(request.signal);
    const stop = new AbortController();
    underWay.add(stop);
    using _ = defer(() => {
      underWay.delete(stop);
      leaveQueue();
    });
    const builtin: RunnerOptions['builtin'] = (work, given, wrote) => builtins(work, given, session, wrote);
    const signal = AbortSignal.any([request.signal, stop.signal]);
    return await runPipeline({ ...request, signal }, { ...runner, outputs, builtin });
  }

  return {
    forSession: (session: string): Pipelines => ({
      workingFolder: (cwd) => folders.of(session, cwd),
      expand: (pattern, { path }) => expandGlob(folder, path, pattern),
      readProgram: (path, { path: cwd }) => readProgram(folder, path, cwd),
      readOn: async (cursor, shownBytes) => stateOf(session).outputs.readOn(cursor, shownBytes),
      changeFolder: (path, from) => folders.change(session, path, from.path),
      run: (request) => runFor(session, request),
      write: ({ content, folder: from, ...request }) =>
        records.write({ ...request, cwd: from.path, content: Buffer.from(content), session }),
      history: async (query) => records.history(query),
      restore: (recordId, restoring) => records.restore(recordId, session, restoring),
    }),
    /** The session ended: its working folder and kept outputs are dropped. */
    leave(session: string) {
      folders.forget(session);
      sessions.get(session)?.outputs.close();
      sessions.delete(session);
    },
    /** The programs of the pipeline shelf, for `doctor`. */
    describe: (): Promise<readonly ShelfEntry[]> => shelf.describe(),
    async close() {
      for (const stop of underWay) stop.abort();
      parser.close();
      for (const { outputs } of sessions.values()) outputs.close();
      sessions.clear();
      rmSync(run, { recursive: true, force: true });
    },
  };
}

/** Measures once per kind of sandbox. */
function measuredOnce(): typeof measureStart {
  const measured = new Map<string, Promise<number | undefined>>();
  return (walls, start) => {
    const bytes = measured.get(walls.sandbox) ?? measureStart(walls, start);
    measured.set(walls.sandbox, bytes);
    bytes.catch(() => measured.delete(walls.sandbox));
    return bytes;
  };
}

const programBytes = 32 * 1024;

/** A program's text, small enough to be judged and passed on. */
function readProgram(folder: Folder, path: string, cwd: string): string {
  let fd: number;
  try {
    fd = folder.at(path, { base: cwd }).openRead();
  } catch (error) {
    throw escaped(error, path, 'program');
  }
  using _ = defer(() => closeSync(fd));
  if (fstatSync(fd).size > programBytes)
    throw new ToolError('too_large', `${path} is over 32 KiB.`, `${path} は 32 KiB を超えています。`);
  return readAtNow(fd, 0, programBytes).toString('utf8');
}
