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
