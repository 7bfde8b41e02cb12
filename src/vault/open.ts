import { isUtf8 } from 'node:buffer';
import { closeSync, fstatSync, statSync } from 'node:fs';
import type { ChangeObserver, Folder, Place } from '../contract/capabilities/files.ts';
import type { NoteEnding, Vault, VaultSettings } from '../contract/capabilities/vault.ts';
import { badValue, ToolError } from '../contract/error.ts';
import { readAtNow } from '../files/io.ts';
import { openWorkspace } from '../files/workspace.ts';
import { createCalendar } from '../ground/calendar.ts';
import { defer } from '../ground/waiting/defer.ts';
import { notText, readPart } from './read-part.ts';
import { createNoteWatch } from './watch-note.ts';

export { vaultSettingsFrom } from './settings.ts';

export interface VaultOptions {
  /** Absolute path of the notes folder. Inside the workspace it need not exist before the first note does. */
  readonly root: string;
  readonly settings: VaultSettings;
  /**
   * The workspace, if any: a vault inside it is reached through it, so that a link put in its place is not followed.
   */
  readonly workspace?: Folder | undefined;
  /** Notified of changes if the vault is outside the workspace. */
  readonly observer?: ChangeObserver | undefined;
  /** The same for notes of writes in progress: see the workspace. */
  readonly scratchFolder?: string | undefined;
  /** An IANA name, for the date of today's note. Default: the machine's. */
  readonly timeZone?: string | undefined;
  readonly now?: (() => Date) | undefined;
}

export interface OpenVault extends Vault {
  close(): void;
}

/** Opens the notes folder. Throws `ConfigError` for a root outside the workspace that is not a folder. */
export function openVault(options: VaultOptions): OpenVault {
  const { settings, timeZone, now = () => new Date() } = options;
  const { folder, close } = openFolder(options);
  const dateOf = createCalendar(timeZone);
  const watching = createNoteWatch();
  return {
    folder,
    settings,
    today: () => dateOf(now().getTime()),
    readPart,
    readEnding,
    inTurn: (place, work, signal) => place.inTurn(work, signal),
    watch: (place, changed) => watching.watch(place, changed),
    close() {
      watching.close();
      close();
    },
  };
}

function openFolder({ root, workspace, observer, scratchFolder }: VaultOptions): {
  folder: Folder;
  close(): void;
} {
  const inside = workspace && partOf(workspace, root);
  // The workspace is closed by its owner.
  if (inside) return { folder: inside, close: () => {} };
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory())
    throw badValue('vault.root', root, 'must be a folder', 'にはフォルダーを指定してください');
  return openWorkspace({ roots: [{ path: root, writable: true }], observer, scratchFolder });
}

function partOf(workspace: Folder, root: string): Folder | undefined {
  try {
    return workspace.sub(root);
  } catch (error) {
    if (error instanceof ToolError && error.code === 'out_of_scope') return undefined;
    throw error;
  }
}

function readEnding(place: Place): NoteEnding {
  const fd = place.openRead();
  using _ = defer(() => closeSync(fd));
  const { size } = fstatSync(fd);
  const from = Math.max(0, size - 64 * 1024);
  const tail = readAtNow(fd, from, size - from);
  if (!isText(tail, from > 0)) throw notText();
  const newline = tail.lastIndexOf(0x0a);
  return {
    newline: newline > 0 && tail[newline - 1] === 0x0d ? '\r\n' : '\n',
    atLineStart: tail.length === 0 || newline === tail.length - 1,
  };
}

/** Appending text to anything else would corrupt it. The part that was read may start inside a character. */
function isText(tail: Buffer, isCut: boolean): boolean {
  const start = isCut ? tail.findIndex((byte) => (byte & 0xc0) !== 0x80) : 0;
  return start <= 3 && !tail.includes(0) && isUtf8(tail.subarray(start));
}
