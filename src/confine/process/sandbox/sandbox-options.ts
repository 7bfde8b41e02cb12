import type { FolderRoot } from '../../../contract/capabilities/files.ts';
import type { HostProxyOptions } from '../../network/proxy/open.ts';
import type { CacheOptions } from '../caches/open.ts';
import type { ProcessLimits } from '../prelude.ts';

export interface SandboxOptions {
  /** Folders that commands may read, and write where they are writable. Resolved: no link on the way. */
  readonly roots: readonly FolderRoot[];
  /** `off` only by the operator: commands then run with all that the server may do. */
  readonly sandbox: 'required' | 'off';
  /** More folders that a command may read, e.g. a toolchain in a home folder. */
  readonly readable?: readonly string[] | undefined;
  /** Records and configuration of the server: no toolchain shows them. */
  readonly ownPaths?: readonly string[] | undefined;
  /** Names below a root that commands may not change. */
  readonly readOnlyNames?: readonly string[] | undefined;
  /**
   * Names below a root that commands leave where they are, with the folders on the way. Only what runs on the folders
   * themselves has them mounted: across a mount nothing is renamed.
   */
  readonly keptNames?: readonly string[] | undefined;
  /** Absolute paths inside the roots that no command may see: the server's own. */
  readonly hiddenPaths?: readonly string[] | undefined;
  /** Where what commands may fetch or build again is kept for those that follow. Absent: nowhere. */
  readonly caches?: CacheOptions | undefined;
  /** Where dry runs keep what they write. Absent: there are none. */
  readonly layers?: string | undefined;
  readonly limits?: Partial<ProcessLimits> | undefined;
  /** What may confine, in order of preference. */
  readonly backends?: readonly ConfiningName[] | undefined;
  /** Size of a command's own `/tmp`. */
  readonly temporaryBytes?: number | undefined;
  /** Hosts that commands may reach, and the list's name in the configuration. Absent or empty: none. */
  readonly network?: HostProxyOptions | undefined;
  /** The server's own variables: what may be passed on is picked from them. */
  readonly serverEnvironment?: Readonly<Record<string, string | undefined>> | undefined;
}

export type ConfiningName = 'bubblewrap' | 'landlock';
