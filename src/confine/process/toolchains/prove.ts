import { type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Text, text } from '../../../contract/text/text.ts';
import { isInside } from '../../../ground/inside.ts';
import { systemFolders } from '../sandbox/system-paths.ts';
import { createFollower, type MetLink } from './follow.ts';

/** Whether commands may be shown a path of the person's, and why not. */
export type Verdict =
  | {
      readonly kind: 'outside';
      readonly real: string;
      readonly links: readonly MetLink[];
      readonly stat: Stats;
      readonly holdsRoot: boolean;
    }
  /** Commands see it as it is: it belongs to the system or a root, or the operator lists it. */
  | { readonly kind: 'seen'; readonly real: string; readonly links: readonly MetLink[] }
  /** By its name it would be in a root. */
  | { readonly kind: 'absent'; readonly inRoot: boolean }
  | { readonly kind: 'refused'; readonly because: Text };

export type Prove = (path: string) => Verdict;

export interface Surroundings {
  readonly home: string | undefined;
  /** By every name they have. */
  readonly roots: readonly string[];
  /** Shown as they are, since the operator lists them. */
  readonly readable: readonly string[];
  /** Records and configuration of the server. */
  readonly own: readonly string[];
}

/** Says of a path whether commands may be shown it. Looks at names, links and modes, and reads nothing. */
export function createProver({ home, roots, readable, own }: Surroundings): Prove {
  const follow = createFollower();
  const isInRoot = (path: string) => roots.some((root) => isInside(path, root));
  const listed = readable.map((path) => follow(path)?.real ?? path);
  const ours = own.map((path) => follow(path)?.real ?? path);
  const realHome = home === undefined ? undefined : (follow(home)?.real ?? home);
  const secret = realHome === undefined ? [] : credentials.map((name) => join(realHome, name));

  /** Who may write there may put a link in a folder's place. */
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
    // A command could have made that link: what it leads to is not for it to choose.
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
      // Gone meanwhile, or in a folder that this user may not enter.
      return { kind: 'absent', inRoot: false };
    }
  };
}

/** May anybody put another in the place of what is in it? */
function isOpen({ mode }: Stats): boolean {
  return (mode & 0o1002) === 0o002;
}

/** Anybody may put programs in it. */
export function isShared({ mode }: Stats): boolean {
  return (mode & 0o002) !== 0;
}

/** Commands have folders of their own there. */
function isTemporary(path: string): boolean {
  return ['/tmp', '/var/tmp', '/dev/shm'].includes(path);
}

// No program is looked for in them, or in a folder that holds them.
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
/** Of what it says of a folder, a command is not told. */
export const isPrivate = (because: Text) => because === tooWide || because === ownFiles;
const everybody = text('everybody can change it', '誰でも変更できます');
