import { type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Text, text } from '../../contract/text/text.ts';
import { isInside } from '../../ground/inside.ts';
import { systemFolders } from '../sandbox/system-paths.ts';
import { createFollower, type MetLink } from './follow.ts';

/** Whether commands may see a path of the person, and why not. */
export type Verdict =
  | {
      readonly kind: 'outside';
      readonly real: string;
      readonly links: readonly MetLink[];
      readonly stat: Stats;
      readonly holdsRoot: boolean;
    }
  /** Commands already see it: it belongs to the system or a root, or the operator lists it. */
  | { readonly kind: 'seen'; readonly real: string; readonly links: readonly MetLink[] }
  /** Would its name be in a root? */
  | { readonly kind: 'absent'; readonly inRoot: boolean }
  | { readonly kind: 'refused'; readonly because: Text };

export type Prove = (path: string) => Verdict;

export interface Surroundings {
  readonly home: string | undefined;
  /** With all their names. */
  readonly roots: readonly string[];
  /** Shown unchanged, because the operator lists them. */
  readonly readable: readonly string[];
  /** The server's records and configuration. */
  readonly own: readonly string[];
}

/** Decides whether commands may see a path. Checks names, links and modes, and reads no contents. */
export function createProver({ home, roots, readable, own }: Surroundings): Prove {
  const follow = createFollower();
  const isInRoot = (path: string) => roots.some((root) => isInside(path, root));
  const listed = readable.map((path) => follow(path)?.real ?? path);
  const ours = own.map((path) => follow(path)?.real ?? path);
  const realHome = home === undefined ? undefined : (follow(home)?.real ?? home);
  const secret = realHome === undefined ? [] : credentials.map((name) => join(realHome, name));

  /** A user who may write there may replace the folder by a link. */
  function isOpenAbove(path: string): boolean {
    for (let folder = dirname(path); folder !== '/'; folder = dirname(folder)) {
      if (isOpen(statSync(folder))) return true;
    }
    return false;
  }

  return (path) => {
    if (!path.startsWith('/')) return { kind: 'refused', because: relative };
    const followed = follow(path);
    if (!followed) return { kind: 'absent', inRoot: isInRoot(path) };
    const { real, links } = followed;
    if (isInRoot(real)) return { kind: 'seen', real, links };
    if (listed.some((folder) => isInside(real, folder))) return { kind: 'seen', real, links };
    // A command could have made that link, so its target must not count.
    if (isInRoot(path) || links.some(({ at }) => isInRoot(at)))
      return { kind: 'refused', because: throughRoot };
    if (systemFolders.some((folder) => isInside(real, folder))) return { kind: 'seen', real, links };
    if (
      isInside(realHome ?? '/', real) ||
      secret.some((each) => isInside(each, real) || isInside(real, each))
    )
      return { kind: 'refused', because: tooWide };
    if (neverPrograms.some((folder) => isInside(real, folder)))
      return { kind: 'refused', because: noPrograms };
    if (ours.some((folder) => isInside(real, folder) || isInside(folder, real)))
      return { kind: 'refused', because: ownFiles };
    try {
      const stat = statSync(real);
      if (isTemporary(real) || isOpen(stat) || isOpenAbove(real))
        return { kind: 'refused', because: everybody };
      return { kind: 'outside', real, links, stat, holdsRoot: roots.some((root) => isInside(root, real)) };
    } catch {
      // It is gone, or in a folder that this user may not enter.
      return { kind: 'absent', inRoot: false };
    }
  };
}

/** May other users replace its entries? */
function isOpen({ mode }: Stats): boolean {
  return (mode & 0o1002) === 0o002;
}

/** Other users may put programs in it. */
export function isShared({ mode }: Stats): boolean {
  return (mode & 0o002) !== 0;
}

/** Commands have their own folders there. */
function isTemporary(path: string): boolean {
  return ['/tmp', '/var/tmp', '/dev/shm'].includes(path);
}

// No program is searched for in these, or in a folder that contains them.
const credentials = [
  ...['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker/config.json', '.config/gh', '.config/gcloud'],
  ...['.netrc', '.npmrc', '.pypirc', '.git-credentials', '.cargo/credentials.toml', '.local/share/keyrings'],
];
const neverPrograms = ['/proc', '/sys', '/dev', '/etc', '/boot'];
const relative = text('it is a relative path', '相対パスです');
const throughRoot = text('a link inside a root leads there', 'ルート内のリンクがそこを指しています');
export const tooWide = text('it contains more than programs', 'プログラム以外のものを含みます');
const noPrograms = text('it is not a place for programs', 'プログラムを置く場所ではありません');
const ownFiles = text('it contains files of this server', 'このサーバー自身のファイルを含みます');
/** These reasons for a folder are not told to a command. */
export const isPrivate = (because: Text) => because === tooWide || because === ownFiles;
const everybody = text('everybody can change it', '誰でも変更できます');
