import { join } from 'node:path';
import type { CommandRecording } from '../../contract/capabilities/command-life.ts';
import { toText } from '../../ground/machine/byte-paths.ts';
import { createObeyedAnywhere } from '../../ground/obeyed/obeyed-by.ts';
import { obeyedNames } from '../../ground/obeyed/obeyed-names.ts';
import { EntryJudge } from '../journal/entering.ts';
import { openMakers } from '../layer/obeyed/makers.ts';
import { protectedAnywhere } from '../layer/protection.ts';
import { granted, judgedLater, refused } from './asking.ts';
import type { RecordingOptions } from './recording.ts';

/** Repositories too: nobody looks at what a server leaves in one. */
export const serversProtectedNames: readonly string[] = ['.git', ...obeyedNames];

/**
 * Keeps what a proxied server destroys in its folders, and refuses it what editors, agents, shells and git obey. It runs
 * for many calls, so there is no call whose person could be asked.
 */
export function guardServer(
  recording: Pick<CommandRecording, 'folder' | 'ignore' | 'mostBytes'>,
  roots: readonly string[],
  folders: readonly string[],
): RecordingOptions {
  const { folder, ignore, mostBytes } = recording;
  const isObeyed = createObeyedAnywhere();
  const isAnywhere = protectedAnywhere(serversProtectedNames);
  const entering = new EntryJudge({
    folder,
    roots,
    makers: openMakers(join(folder, 'makers')),
    isFetched: () => false,
    isObeyed: (path) => isObeyed(toText(path)) !== undefined,
    isProtected: (path) => headOfRepository.test(path) || isAnywhere(`/${toText(path)}`, false),
  });
  const guard: RecordingOptions = {
    folder,
    ignore,
    mostBytes,
    // A folder that the operator named is guarded even if it has the name of generated files.
    roots: [...new Set([...folders, ...roots])],
    protectedNames: serversProtectedNames,
    first: undefined,
    mayLose: async () => undefined,
    async mayEnter({ kind, contents, folder: newFolder }) {
      const { never, asked, isJudgedLater } = await entering.judge(contents, newFolder);
      if (kind === 'written') {
        for (const path of [...never, ...asked]) entering.takeOut(path);
        return granted;
      }
      if (never.length + asked.length > 0) return refused;
      return isJudgedLater ? judgedLater : granted;
    },
    async ends(left) {
      await guard.mayEnter({ kind: 'written', contents: left.map((path) => ({ path, at: path })) });
    },
  };
  return guard;
}

/** A folder with a HEAD is a repository. */
const headOfRepository = /(^|\/)HEAD$/;
