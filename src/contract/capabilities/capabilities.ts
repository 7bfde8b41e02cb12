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
 * Everything that a tool can touch. A tool lists what it needs in `uses` and gets only that, scoped to its caller. This
 * guards against accident, not malice: tools run in our process.
 */
export interface Capabilities {
  /** The server's roots, read-only if the tool only reads. */
  readonly files: Folder;
  readonly search: Search;
  readonly commands: Commands;
  readonly judge: CommandJudge;
  /** Folders that the assistant toolset reads and writes (document 001: `output/DATE/user_ID`). */
  readonly desk: Desk;
  readonly web: Web;
  readonly memory: Memories;
  readonly vault: Vault;
  readonly pipelines: Pipelines;
  readonly team: Team;
  readonly ongoing: OngoingCalls;
  /** Calls that a person approves as a whole. */
  readonly plans: Plans;
  /** The tools that the caller may call, and how to call them (the tool `help`). */
  readonly guide: ToolGuide;
}

export type CapabilityName = keyof Capabilities;

/** Whether a tool with this capability can change files: it must only read in read-only mode; history keeps changes. */
export function reachesMachine(name: CapabilityName): boolean {
  return (
    name === 'files' || name === 'desk' || name === 'commands' || name === 'vault' || name === 'pipelines'
  );
}

/** The assistant's folders for one caller today. */
export interface Desk {
  /** Writes, edits and commands act here. */
  readonly own: Folder;
  /** Reads look in `own` first and then here. */
  readonly workspace: Folder;
  /** `own` relative to the workspace: `output/2026-02-21/user_local`, or `.`. */
  readonly ownPath: string;
  /** Whether a workspace path belongs to another person and is hidden from this one. */
  readonly hides?: ((path: string) => boolean) | undefined;
  /** The workspace folder that contains other people's folders; this person's commands do not see it. */
  readonly othersPath?: string | undefined;
}
