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
  const commands = commandsOf(grant);
  // A rule that covers several commands is as grave as the gravest of them.
  if (commands.every((each) => reversible.has(each))) return likeEver > 0 ? 'folder' : 'session';
  if (commands.every((each) => installs.has(each))) return likeHere > 0 ? 'session' : 'once';
  return 'once';
}

/** What can be taken back, or is seen by colleagues alone. */
const reversible = new Set([
  'git push',
  ...['pr', 'issue'].flatMap((thing) => ['create', 'new', 'comment'].map((verb) => `gh ${thing} ${verb}`)),
]);
const installs = new Set([
  'npm install',
  'npm add',
  'npm i',
  'pip install',
  'pip3 install',
  'cargo add',
  'go get',
]);

function isBeginning(grant: string): boolean {
  return !grant.includes('} {') && commandsOf(grant).length > 0;
}

/** Each command that the rule covers, written out. */
function commandsOf(grant: string): readonly string[] {
  const [rule = '{}'] = grant.split(/(?<=\}) (?=\{)/);
  const { command = [] } = JSON.parse(rule) as { command?: readonly (string | readonly string[])[] };
  return command.reduce<readonly string[]>(
    (begun, part) =>
      (begun.length === 0 ? [''] : begun).flatMap((words) =>
        [part].flat().map((word) => `${words} ${word}`.trim()),
      ),
    [],
  );
}
