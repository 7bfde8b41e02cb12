import { createHash } from 'node:crypto';
import type { Caller } from '../../contract/caller.ts';
import type { Desk } from '../../contract/capabilities/capabilities.ts';
import type { Folder } from '../../contract/capabilities/files.ts';
import { createCalendar } from '../../ground/calendar.ts';
import { asFollowing, asHiding } from '../files/workspace.ts';

export interface DeskOptions {
  readonly layout: 'output' | 'workspace';
  /** IANA name; default: the system's. */
  readonly timeZone?: string | undefined;
  readonly clock: () => number;
  readonly folder: Folder;
}

/**
 * Makes the assistant's folders of a caller: `output/DATE/user_ID` with the workspace behind it, or the workspace
 * alone. Nothing is made on disk; the first write does that.
 */
export function createDesk({ layout, timeZone, clock, folder }: DeskOptions): (caller: Caller) => Desk {
  const dateOf = createCalendar(timeZone);
  if (layout === 'workspace') {
    const own = asFollowing(folder);
    return () => ({ own, workspace: own, ownPath: '.' });
  }
  // The first root only: paths are relative in this layout.
  const workspace = folder.sub('.');
  return (caller) => {
    const user = `user_${folderNameOf(caller.principal)}`;
    const ownPath = `output/${dateOf(clock())}/${user}`;
    const hides = caller.kind === 'local' ? undefined : (path: string) => isAnothers(path, user);
    return {
      own: workspace.sub(ownPath),
      workspace: hides ? asHiding(workspace, hides) : workspace,
      ownPath,
      // The person at this machine owns it all; somebody behind a token has a desk beside others.
      othersPath: caller.kind === 'local' ? undefined : 'output',
      hides,
    };
  };
}

function isAnothers(path: string, user: string): boolean {
  const [top, , folder] = path.split('/', 3);
  // Without case: some file systems take `Output` for `output`.
  return (
    top?.toLowerCase() === 'output' && folder?.toLowerCase().startsWith('user_') === true && folder !== user
  );
}

/**
 * A principal as a folder name. Plain names stay as they are; whatever else gets a part of its digest after a dot,
 * which no plain name has, so no two principals share a folder on any file system.
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
