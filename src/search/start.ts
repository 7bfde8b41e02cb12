import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { openPipes } from '../command/output/os-pipe.ts';
import type { Place } from '../contract/capabilities/files.ts';
import type { StageSpawn } from '../contract/capabilities/pipeline.ts';
import type { SandboxName } from '../contract/capabilities/process.ts';
import { HeldPlace } from '../files/place.ts';
import { enterFolder, itself, leaveFolder } from '../files/walk.ts';
import { defer } from '../ground/waiting/defer.ts';

/** Starts a program in the sandbox. */
export interface Stages {
  readonly spawn: StageSpawn;
  readonly sandbox: SandboxName;
}

export interface Started {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The exit code after the end; rejects if the program could not be started. */
  readonly ended: Promise<number>;
  kill(): void;
}

/**
 * Starts a program in the folder that the walk opened, even if its path names another by now. A file is opened by the
 * walk and becomes standard input, so its name is not looked up again.
 */
export async function startPlain(program: string, args: readonly string[], below: Place): Promise<Started> {
  const { fd, isFile, leave } = open(below);
  using _ = defer(() => leave());
  const child = spawn(program, operandsOf(args, isFile), {
    env: environment,
    stdio: [isFile ? fd : 'ignore', 'pipe', 'pipe'],
    // The child resolves it while it still has our descriptors, before it becomes the program.
    cwd: isFile ? '/' : itself(fd),
  });
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? killedCode));
  });
  // Both pipes were requested, so both exist.
  const { stdout, stderr } = child as typeof child & { stdout: Readable; stderr: Readable };
  return { stdout, stderr, ended, kill: () => void child.kill('SIGKILL') };
}

/** Starts it in the sandbox, which reads nothing outside the root: swapping folders for links gains nothing. */
export async function startConfined(
  program: string,
  args: readonly string[],
  below: Place,
  stages: Stages,
): Promise<Started> {
  const pipe = await openPipes();
  const { fd, isFile, leave, root } = open(below);
  const out = pipe();
  const err = pipe();
  const nothing = openSync('/dev/null', 'r');
  const stdout = new Socket({ fd: out.read, readable: true, writable: false });
  const stderr = new Socket({ fd: err.read, readable: true, writable: false });
  try {
    const child = await stages.spawn({
      program,
      args: operandsOf(args, isFile),
      environment,
      // Bubblewrap has a mount namespace of its own, in which only the root's own path leads there.
      workingFolder: isFile ? '/' : stages.sandbox === 'bubblewrap' ? below.hostPath : itself(fd),
      descriptors: [isFile ? fd : nothing, out.write, err.write],
      readable: [root],
      writable: [],
    });
    const closed = Promise.all(
      [stdout, stderr].map((stream) => new Promise((done) => stream.once('close', done))),
    );
    return {
      stdout,
      stderr,
      ended: Promise.all([child.ended, closed]).then(([{ code }]) => code ?? killedCode),
      kill: () => void child.kill(),
    };
  } catch (error) {
    stdout.destroy();
    stderr.destroy();
    throw error;
  } finally {
    for (const descriptor of [out.write, err.write, nothing]) closeSync(descriptor);
    leave();
  }
}

const environment = { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', HOME: '/nonexistent' };
const killedCode = 137;

function operandsOf(args: readonly string[], isFile: boolean): string[] {
  return [...args, '--', isFile ? '-' : './'];
}

function open(below: Place) {
  if (!(below instanceof HeldPlace)) throw new TypeError('A search starts at a place of an open workspace.');
  const root = below.root.hostPath;
  if (below.stat().kind === 'file') {
    const fd = below.openRead();
    return { fd, root, isFile: true, leave: () => closeSync(fd) };
  }
  const fd = enterFolder(below.root, below.components, below.components.length, below.facts.hidden);
  return { fd, root, isFile: false, leave: () => leaveFolder(below.root, fd) };
}
