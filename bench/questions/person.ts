import type { Scope } from '../../src/contract/records.ts';

/** What the person knows when a question comes. */
export interface Seen {
  /** The rule that a wider yes would write. */
  readonly grant: string;
  /** How many questions of this session it would have answered, before this one. */
  readonly likeHere: number;
  /** And of all sessions. */
  readonly likeEver: number;
}

/**
 * A careful person. What leaves the machine for good is looked at each time. Branches and words to colleagues, once they
 * have come twice, are allowed in this folder. New packages are looked at each time, but for a second of one session.
 * Only what is a program with its subcommand is ever allowed further: a whole line says nothing of the next.
 */
export function careful({ grant, likeHere, likeEver }: Seen): Scope {
  if (!isBeginning(grant)) return 'once';
  const command = commandOf(grant);
  if (reversible.has(command)) return likeEver > 0 ? 'folder' : 'session';
  if (installs.has(command)) return likeHere > 0 ? 'session' : 'once';
  return 'once';
}

/** What can be taken back, or is seen by colleagues alone. */
const reversible = new Set(['git push', 'gh pr create', 'gh pr comment', 'gh issue comment']);
const installs = new Set(['npm install', 'pip install', 'cargo add', 'go get']);

function isBeginning(grant: string): boolean {
  return !grant.includes('} {') && commandOf(grant) !== '';
}

function commandOf(grant: string): string {
  const { command } = JSON.parse(grant.split(/(?<=\}) (?=\{)/)[0] ?? '{}') as { command?: readonly string[] };
  return command?.join(' ') ?? '';
}
