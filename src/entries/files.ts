// Our declarations name Node's own types; TypeScript 7 looks for them only where somebody asks.
/// <reference types="node" preserve="true" />

/** The entry `sekisho/files` of the package. Adding a line here is a promise. `docs/files.md` shows it at work. */
export type {
  FileKind,
  FileStat,
  Folder,
  FolderEntry,
  Place,
  TextRange,
  TextSlice,
  WriteOptions,
  Written,
} from '../contract/capabilities/files.ts';
export { ConfigError, ToolError } from '../contract/error.ts';
export {
  asFollowing,
  asReadOnly,
  openWorkspace,
  type Workspace,
  type WorkspaceOptions,
} from '../files/workspace.ts';
