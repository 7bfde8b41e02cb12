import { rmSync } from 'node:fs';
import type { StageSpawn } from '../../contract/capabilities/pipeline.ts';
import type { SandboxName, SandboxStatus } from '../../contract/capabilities/process.ts';
import { text, verbatim } from '../../contract/text/text.ts';
import { readPersonConfig } from '../../git/person-config.ts';
import { once } from '../../ground/waiting/once.ts';
import { hostsOverHttps } from '../../network/edge/keys/git-settings.ts';
import { cannotWatch, whyNoLayer } from '../session/trial.ts';
import { findToolchains, type Toolchains } from '../toolchains/find.ts';
import { withoutKernel } from './bubblewrap.ts';
import { type Roots, resolveRoots } from './roots.ts';
import type { ConfiningName, SandboxOptions } from './sandbox-options.ts';
import { noSandbox, nothingOutside } from './sandbox-refusals.ts';
import { holdsMachine, raiseWalls, type Trial, type Walls } from './walls.ts';

/** A server's sandbox: chosen and tested on first use, kept until it closes. */
export type Sandbox = ReturnType<typeof openSandbox>;

export function openSandbox(options: SandboxOptions) {
  let resolved: Roots | undefined;
  const roots = () => {
    resolved ??= resolveRoots(options.roots);
    return resolved;
  };
  let found: Toolchains | undefined;
  const toolchains = () => {
    found ??= findToolchains({
      environment: options.serverEnvironment ?? process.env,
      roots: [...roots().all, ...options.roots].map(({ hostPath }) => hostPath),
      readable: options.readable,
      own: options.ownPaths,
    });
    return found;
  };
  const names = options.backends ?? confining;
  const candidates = new Map<SandboxName, Promise<Trial>>();
  const gitFolders: string[] = [];
  const git = once(() =>
    readPersonConfig(roots().all[0]?.hostPath ?? '/', options.serverEnvironment ?? process.env, {
      overHttps: hostsOverHttps(options.network?.secrets?.rules ?? []),
      signs: options.network?.signer !== undefined,
    }),
  );

  function attempt(name: SandboxName): Promise<Trial> {
    let trial = candidates.get(name);
    if (!trial) {
      const reading = git();
      // Runs while git does, so it costs no extra time.
      if (name !== 'none') toolchains();
      trial = reading.then((settings) =>
        raiseWalls(name, options, { roots: roots(), toolchains }, { ...settings, folders: gitFolders }),
      );
      candidates.set(name, trial);
    }
    return trial;
  }

  /** The first backend that works. */
  async function choose(names: readonly SandboxName[]): Promise<Walls> {
    const problems: string[] = [];
    if (options.sandbox !== 'off' && holdsMachine(roots())) throw nothingOutside();
    for (const name of options.sandbox === 'off' ? (['none'] as const) : names) {
      const trial = await attempt(name);
      if (trial.walls) return trial.walls;
      problems.push(`${name}: ${trial.cause}`);
    }
    throw noSandbox(problems);
  }

  return {
    /** Throws `unavailable` if no backend works. Never falls back to none. */
    open: (): Promise<Walls> => choose(names),
    /** Starts the stages of pipelines. Throws `unavailable` if no backend works. */
    async stages(): Promise<{ readonly spawn: StageSpawn; readonly sandbox: SandboxName }> {
      // A Landlock thread starts four stages in the time that bubblewrap needs for one.
      const { backend } = await choose(names.toReversed());
      return { spawn: backend.spawnStage, sandbox: backend.name };
    },
    roots,
    /** Found on first use, and not searched again. */
    toolchains,
    /** The person's git settings that commands get, and those that they do not. */
    git,
    async status(): Promise<readonly SandboxStatus[]> {
      const shown: readonly SandboxName[] = options.sandbox === 'off' ? [...names, 'none'] : names;
      return Promise.all(shown.map(async (name) => withMeans(await attempt(name), roots().writable)));
    },
    async close() {
      for (const trial of candidates.values()) {
        const { walls } = await trial;
        await walls?.caches?.close();
        await walls?.backend.close();
      }
      candidates.clear();
      for (const folder of gitFolders) rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function withMeans({ status, walls }: Trial, folders: readonly string[]): Promise<SandboxStatus> {
  if (!walls) return status;
  const withoutDryRun = walls.backend.name === 'none' ? undefined : await whyNoLayer(walls, folders);
  const isUnwatched = (await walls.backend.withoutWatching()) !== undefined;
  return {
    ...status,
    ...(withoutDryRun && { withoutDryRun }),
    ...(isUnwatched && { withoutRecording: cannotWatch }),
    ...(walls.backend.name !== 'bubblewrap' && { withoutPublishing: sharesLoopback }),
    ...(walls.backend.withoutSockets === withoutKernel && { withoutPublishing: verbatim(withoutKernel) }),
  };
}

const sharesLoopback = text(
  'commands share the loopback of this machine, as only bubblewrap gives them one of their own',
  'コマンドはこのマシンのループバックを共有します。専用のループバックがあるのは bubblewrap だけです',
);

const confining: readonly ConfiningName[] = ['bubblewrap', 'landlock'];
