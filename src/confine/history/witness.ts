import { dirname } from 'node:path';
import type { Folder, Place } from '../../contract/capabilities/files.ts';
import type { FileState, HistoryAction } from '../../contract/capabilities/history.ts';
import type { Contents } from './contents.ts';
import type { Recorder } from './recorder.ts';
import { heldPlace, stateOf } from './restore.ts';
import { isSame } from './state.ts';

/** One file that somebody else is about to change. */
export interface Witness {
  /** Looks again, and writes down what differs as the doing of whoever is at work here. */
  settle(): Promise<void>;
}

export interface WitnessOptions {
  readonly recorder: Recorder;
  readonly contents: Contents;
  readonly maxFileBytes: number;
}

/** Throws what a write of ours would be refused with. What is there now is kept before it returns. */
export async function witness(folder: Folder, path: string, options: WitnessOptions): Promise<Witness> {
  const place = folder.at(path);
  heldPlace(place).assertWritable();
  const before = await kept(place, options);
  // A folder is not written as a file; the attempt fails without us.
  if (before.kind === 'folder') return { settle: async () => {} };
  const missing = missingAbove(folder, place);
  return {
    async settle() {
      const made = missing.flatMap((above) => {
        const after = stateOf(above);
        return after.kind === 'folder' ? [change(folder, above, 'create', { kind: 'absent' }, after)] : [];
      });
      const after = stateOf(place);
      const own = isSame(before, after, true)
        ? []
        : [change(folder, place, actionOf(before, after), before, after)];
      const { recorder } = options;
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

/** The folders that a write of the place would make, outermost first. */
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

/** Its mode is the system's choice, as that of a file that we make. */
function asMade(state: FileState): FileState {
  return state.kind === 'file' || state.kind === 'folder' ? { ...state, mode: undefined } : state;
}

/** Of a file like this only size and mode are wanted: its content is read once, when it is kept. */
const unread: FileState = { kind: 'file', bytes: -1 };
