import { dirname } from 'node:path';
import type { Folder, Place } from '../contract/capabilities/files.ts';
import type { FileState, HistoryAction } from '../contract/capabilities/history.ts';
import type { Witness } from '../contract/native.ts';
import type { Contents } from './contents.ts';
import type { Recorder } from './recorder.ts';
import { heldPlace, stateOf } from './restore.ts';
import { isSame } from './state.ts';

export interface WitnessOptions {
  readonly recorder: Recorder;
  readonly contents: Contents;
  readonly maxFileBytes: number;
}

/** Throws the error that our own write would get. Keeps the current content before it returns. */
export async function witness(folder: Folder, path: string, options: WitnessOptions): Promise<Witness> {
  const { recorder, maxFileBytes } = options;
  const place = folder.at(path);
  heldPlace(place).assertWritable();
  const before = await kept(place, options);
  // A folder cannot be written as a file: the other program's write fails by itself.
  if (before.kind === 'folder') return nothingSeen;
  const missing = missingAbove(folder, place);
  return {
    assertFresh: async () =>
      recorder.assertFresh({
        hostPath: place.hostPath,
        shown: place.shown,
        before,
        read: () => place.readBytes({ maxBytes: maxFileBytes }),
      }),
    async settle() {
      const made = missing.flatMap((above) => {
        const after = stateOf(above);
        return after.kind === 'folder' ? [change(folder, above, 'create', { kind: 'absent' }, after)] : [];
      });
      const after = stateOf(place);
      const own = isSame(before, after, true)
        ? []
        : [change(folder, place, actionOf(before, after), before, after)];
      if (made.length + own.length > 0) await recorder.add([...made, ...own], recorder.current());
    },
  };
}

async function kept(place: Place, { contents, maxFileBytes }: WitnessOptions): Promise<FileState> {
  const state = stateOf(place, unread);
  if (state.kind !== 'file' || state.bytes > maxFileBytes) return state;
  const content = await place.readBytes({ maxBytes: maxFileBytes });
  const { digest, durable } = contents.put(content);
  await durable;
  return { ...state, bytes: content.length, digest };
}

/** For what is not witnessed. */
export const nothingSeen: Witness = { assertFresh: async () => undefined, settle: async () => {} };

/** The folders that a write to the place would create, outermost first. */
function missingAbove(folder: Folder, place: Place): readonly Place[] {
  const missing: Place[] = [];
  for (let at = dirname(place.hostPath); at !== dirname(at); at = dirname(at)) {
    if (folder.roots.some(({ hostPath }) => hostPath === at)) break;
    const above = folder.at(at);
    if (above.exists()) break;
    missing.unshift(above);
  }
  return missing;
}

function actionOf(before: FileState, after: FileState): HistoryAction {
  if (before.kind === 'absent') return 'create';
  return after.kind === 'absent' ? 'remove' : 'replace';
}

function change(folder: Folder, place: Place, action: HistoryAction, before: FileState, after: FileState) {
  const root = folder.roots[place.rootIndex]?.hostPath ?? '';
  return { root, path: place.path, action, before, after: action === 'create' ? asMade(after) : after };
}

/** The system chooses its mode, as for a file that we create. */
function asMade(state: FileState): FileState {
  return state.kind === 'file' || state.kind === 'folder' ? { ...state, mode: undefined } : state;
}

/** For a file like this only size and mode are read; its content is read once, when it is kept. */
const unread: FileState = { kind: 'file', bytes: -1 };
