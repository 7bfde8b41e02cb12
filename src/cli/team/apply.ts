import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { whyUnreadable } from '../../config/file/why-unreadable.ts';
import type { Flags } from '../../config/load.ts';
import { ConfigError } from '../../contract/error.ts';
import { counted } from '../common/counted.ts';
import { say } from '../common/say.ts';
import { readTeamFile } from './file.ts';
import { planTeam } from './plan.ts';
import { withTeam } from './with-team.ts';

type Options = Readonly<Record<string, unknown>>;

/** Shows what a team file would change, and does it when a person agrees. Nobody who is not in the file is removed. */
export function applyTeam(file: string, flags: Flags, options: Options): Promise<number> {
  const team = readTeamFile(file, readText(file), process.env);
  return withTeam(flags, async (admin) => {
    const plan = await planTeam(team, admin);
    for (const { line } of plan) say(line);
    if (plan.length === 0) {
      say('Nothing to change.');
      return 0;
    }
    if (!options.yes && !(await agrees())) {
      say('Nothing was changed.');
      return 1;
    }
    for (const { apply } of plan) await apply();
    say(`${counted(plan.length, 'change')} made.`);
    return 0;
  });
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${file} cannot be read: ${whyUnreadable(error)}.`);
  }
}

async function agrees(): Promise<boolean> {
  if (!process.stdin.isTTY) throw new ConfigError('Nobody can be asked here; say --yes to apply.');
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await lines.question('Apply? [y/N] ');
    return ['y', 'yes', 'はい'].includes(answer.trim().normalize('NFKC').toLowerCase());
  } finally {
    lines.close();
  }
}
