import { createHash } from 'node:crypto';
import type { Caller } from '../../contract/caller.ts';
import type { Desk } from '../../contract/capabilities/capabilities.ts';
import type { Folder } from '../../contract/capabilities/files.ts';
import { createCalendar } from '../../ground/calendar.ts';
import { asFollowing, asHiding } from '../workspace.ts';

export interface DeskOptions {
  readonly layout: 'output' | 'workspace';
  /** IANA name; the system's time zone by default. */
  readonly timeZone?: string | undefined;
  readonly clock: () => number;
  readonly folder: Folder;
}

/** Makes a caller's folders: `output/DATE/user_ID` and the workspace behind, or that alone. Made at a write. */
export function createDesk({ layout, timeZone, clock, folder }: DeskOptions): (caller: Caller) => Desk {
  const dateOf = createCalendar(timeZone);
  if (layout === 'workspace') {
    const own = asFollowing(folder);
    return () => ({ own, workspace: own, ownPath: '.' });
  }
  // The first root only: this layout has relative paths.
  const workspace = folder.sub('.');
  return (caller) => {
    const user = `user_${folderNameOf(caller.principal)}`;
    const ownPath = `output/${dateOf(clock())}/${user}`;
    const hides = caller.kind === 'local' ? undefined : (path: string) => isAnothers(path, user);
    return {
      own: workspace.sub(ownPath),
      workspace: hides ? asHiding(workspace, hides) : workspace,
      ownPath,
      // The local person owns everything; a caller with a token has a folder beside others.
      othersPath: caller.kind === 'local' ? undefined : 'output',
      hides,
    };
  };
}

function isAnothers(path: string, user: string): boolean {
  const [top, , folder] = path.split('/', 3);
  // Case is ignored: some file systems take `Output` for `output`.
  return (
    top?.toLowerCase() === 'output' && folder?.toLowerCase().startsWith('user_') === true && folder !== user
  );
}

/**
 * A principal's folder name. Plain names stay; others end with a dot and a part of their digest. No plain name has a
 * dot, so no two principals share a folder on any file system.
 */
export function folderNameOf(principal: string): string {
  const name = principal.startsWith('user:') ? principal.slice('user:'.length) : principal;
  const isSelf = principal === 'local' || principal === 'anonymous' || principal === 'coordinator';
  const isTaken = !isSelf && (name === 'local' || name === 'anonymous' || name === 'coordinator');
  if (plainName.test(name) && !isTaken && (isSelf || principal !== name)) return name;
  const readable = name
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .slice(0, 40)
    .replace(/^[_-]+|[_-]+$/g, '');
  const digest = createHash('sha256').update(principal).digest('hex').slice(0, 20);
  return `${readable === '' ? 'id' : readable}.${digest}`;
}

// Lower case only: some file systems take `Ann` and `ann` for one name.
const plainName = /^[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?$/;
