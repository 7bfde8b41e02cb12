import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandLine } from '../../contract/capabilities/process.ts';
import { isInside } from '../../ground/inside.ts';
import { networkNotes } from '../../network/proxy/notes.ts';
import type { EndNotes } from '../child/run-child.ts';
import { isCutOff, reachesHosts, type StartedCommand } from '../child/start-command.ts';
import { aroundProxyNotes, cutOffNotes } from '../output/cut-off.ts';
import { defaultProcessLimits } from '../prelude.ts';
import { wallNotes } from '../sandbox/wall-notes.ts';
import type { Walls } from '../sandbox/walls.ts';
import type { LeftOut } from '../toolchains/collection.ts';
import { isPrivate } from '../toolchains/prove.ts';
import { settingNotes } from './git-notes.ts';
import type { Runner } from './session.ts';

/** Explains why an ended command may have failed, and what would help. */
export function createEndNotes(
  command: CommandLine,
  { contacts, commitNotes, environment, folder, unsettled }: StartedCommand,
  walls: Walls,
  { session, sandbox, options }: Runner,
): EndNotes {
  const key = options.network?.key;
  const { memoryBytes } = { ...defaultProcessLimits, ...options.limits };
  const mostMemory = `${Math.floor(memoryBytes / 1024 ** 2)} MiB of memory`;
  const isWalled = walls.backend.name !== 'none';

  /** Of what it missed, or met at the sandbox. */
  function metNotes(outputs: readonly string[], failed: boolean): readonly string[] {
    const { folders, links, leftOut } = sandbox.toolchains();
    const told = session.toldWalls;
    const { HOME: home = '/nonexistent', TMPDIR: temporary } = environment;
    const seen = [
      ...(temporary === undefined ? [] : [temporary]),
      '/tmp',
      ...sandbox.roots().paths,
      ...folders.map(({ real }) => real),
      ...links.map(({ at }) => at),
      // These have notes of their own.
      ...leftOut.flatMap(({ path, because }) => (isPrivate(because) ? [] : [path])),
      ...(walls.caches ? [walls.caches.place] : []),
      ...(options.readable ?? []),
    ];
    const refuses = walls.backend.name === 'landlock';
    return [
      ...(failed ? missedNotes(outputs, { leftOut, told }) : []),
      ...wallNotes(outputs, { home, seen, refuses, failed, told }),
    ];
  }

  return (how, outputs) => {
    const failed = how.exitCode !== 0 && isWalled;
    const reaches = !failed || reachesHosts(walls, options, command);
    const isAlone = failed && isCutOff(walls, options);
    return [
      ...unsettled,
      ...(how.stoppedBy === 'processes' ? ['[stopped: too many processes]\n'] : []),
      ...(how.stoppedBy === 'memory' ? [`[stopped: it used more than ${mostMemory}]\n`] : []),
      ...networkNotes(contacts(), key),
      ...(reaches ? [] : [unreadNote]),
      ...settingNotes(outputs, command, walls.git, folder),
      ...commitNotes(),
      ...(failed && walls.proxy && reaches ? aroundProxyNotes(outputs) : []),
      ...(isAlone ? cutOffNotes(outputs, { command, exitCode: how.exitCode, key }) : []),
      ...(isWalled && !how.stoppedBy ? metNotes(outputs, failed) : []),
    ];
  };
}

const unreadNote =
  '[network: it ran without hosts, as it starts what is only known when it runs; write the names of its programs out]\n';

/** Notes about programs of the person that a failed command missed, and why they were left out: once a session each. */
export function missedNotes(
  outputs: readonly string[],
  { leftOut, told }: { readonly leftOut: readonly LeftOut[]; readonly told: Set<string> },
): readonly string[] {
  if (leftOut.length === 0) return [];
  const words = outputs.map((output) => output.slice(-lastChars)).join('\n');
  const names = [...words.matchAll(notFound)].map(([, said, ofEnv]) => said ?? ofEnv ?? '');
  const paths = [...words.matchAll(/(?<![\w./~-])\/[^\s'"`:,;()<>|]{1,4096}/g)].map(([path]) => path);
  return leftOut.flatMap(({ path, because }) => {
    const isMissed =
      path.startsWith('/') &&
      !isPrivate(because) &&
      (paths.some((each) => isInside(each, path)) || names.some((name) => existsSync(join(path, name))));
    if (!isMissed || told.has(path)) return [];
    told.add(path);
    return [
      `[toolchain: ${path} is not shown: ${because.en}; the operator can list it in process.readable]\n`,
    ];
  });
}

const lastChars = 16_384;
/** Messages of bash, sh and env. */
const notFound = /(?:^|: )([\w.+-]{1,64}): (?:command )?not found$|env: '([\w.+-]{1,64})': No such file/gm;
