import type { Team } from '../team/team.ts';
import type { ToolGuide } from '../tool/tool-card.ts';
import type { Folder, Search } from './files.ts';
import type { CommandJudge } from './judgement.ts';
import type { Memories } from './memory.ts';
import type { Web } from './network.ts';
import type { OngoingCalls } from './ongoing.ts';
import type { Pipelines } from './pipeline.ts';
import type { Plans } from './plans.ts';
import type { Commands } from './process.ts';
import type { Vault } from './vault.ts';

/**
 * Everything that a tool can touch. A tool names what it needs in `uses` and is lent those and no others, scoped
 * to its caller. It guards against accident, not malice: tools run in our process.
 */
export interface Capabilities {
  /** The server's roots, read-only where the tool only reads. */
  readonly files: Folder;
  readonly search: Search;
  readonly commands: Commands;
  readonly judge: CommandJudge;
  /** Where the assistant toolset reads and writes (document 001: `output/DATE/user_ID`). */
  readonly desk: Desk;
  readonly web: Web;
  readonly memory: Memories;
  readonly vault: Vault;
  readonly pipelines: Pipelines;
  readonly team: Team;
  readonly ongoing: OngoingCalls;
  /** Calls that a person agrees to as a whole. */
  readonly plans: Plans;
  /** What the caller may call, and how (the tool `help`). */
  readonly guide: ToolGuide;
}

export type CapabilityName = keyof Capabilities;

/**
 * Can a tool with this capability change files of the machine? In read-only mode it must then only read; history
 * keeps what it changes.
 */
export function reachesMachine(name: CapabilityName): boolean {
  return (
    name === 'files' || name === 'desk' || name === 'commands' || name === 'vault' || name === 'pipelines'
  );
}

/** The assistant's folders for one caller today. */
export interface Desk {
  /** Writing, editing and commands happen here. */
  readonly own: Folder;
  /** Reading looks in `own` first and then here. */
  readonly workspace: Folder;
  /** `own` relative to the workspace: `output/2026-02-21/user_local`, or `.`. */
  readonly ownPath: string;
  /** Paths of the workspace that are another person's and are not shown to this one. */
  readonly hides?: ((path: string) => boolean) | undefined;
  /** The folder of the workspace that other people's lie in; commands of this one do not see it. */
  readonly othersPath?: string | undefined;
}
