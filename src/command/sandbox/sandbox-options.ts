import type { FolderRoot } from '../../contract/capabilities/files.ts';
import type { HostProxyOptions } from '../../network/proxy/open.ts';
import type { CacheOptions } from '../caches/open.ts';
import type { ProcessLimits } from '../prelude.ts';

export interface SandboxOptions {
  /** Folders that commands may read, and write if they are writable. Resolved, without links. */
  readonly roots: readonly FolderRoot[];
  /** Only the operator chooses `off`: commands then have all rights of the server. */
  readonly sandbox: 'required' | 'off';
  /** More readable folders, e.g. a toolchain in a home folder. */
  readonly readable?: readonly string[] | undefined;
  /** Device files, and folders of them, that commands may use; they are also readable. */
  readonly devices?: readonly string[] | undefined;
  /** The server's records and configuration: no toolchain shows them. */
  readonly ownPaths?: readonly string[] | undefined;
  /** Names below a root that commands may not change. */
  readonly readOnlyNames?: readonly string[] | undefined;
  /**
   * Names below a root that commands must leave in place, with the folders above them. They are mounted only for
   * commands on the folders themselves, because a rename across a mount fails.
   */
  readonly keptNames?: readonly string[] | undefined;
  /** The server's own absolute paths inside the roots, hidden from commands. */
  readonly hiddenPaths?: readonly string[] | undefined;
  /** Keeps caches of package managers and compilers for later commands. Undefined: no caches. */
  readonly caches?: CacheOptions | undefined;
  /** The folder for layers. Undefined: there are none. */
  readonly layers?: string | undefined;
  readonly limits?: Partial<ProcessLimits> | undefined;
  /** Backends to try, in order of preference. */
  readonly backends?: readonly ConfiningName[] | undefined;
  /** Size of a command's own `/tmp`. */
  readonly temporaryBytes?: number | undefined;
  /** Hosts that commands may reach, and the list's name in the configuration. Undefined or empty: none. */
  readonly network?: HostProxyOptions | undefined;
  /** The server's own variables, from which the permitted ones are taken. */
  readonly serverEnvironment?: Readonly<Record<string, string | undefined>> | undefined;
}

export type ConfiningName = 'bubblewrap' | 'landlock';
