import { readFileSync } from 'node:fs';
import { whyUnreadable } from '../../config/file/why-unreadable.ts';
import type { Flags } from '../../config/settings.ts';
import { ConfigError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { counted } from '../../ground/counted.ts';
import { agrees } from '../common/agrees.ts';
import type { Options } from '../common/options.ts';
import { say } from '../common/say.ts';
import { readTeamFile } from './file.ts';
import { planTeam } from './plan.ts';
import { withTeam } from './with-team.ts';

/** Shows what a team file would change, and applies it if a person agrees. Removes no agents outside the file. */
export function applyTeam(file: string, flags: Flags, options: Options): Promise<number> {
  const team = readTeamFile(file, readText(file), process.env);
  return withTeam(flags, async (admin) => {
    const plan = await planTeam(team, admin);
    for (const { line } of plan) say(line);
    if (plan.length === 0) {
      say('Nothing to change.', '変更するものはありません。');
      return 0;
    }
    if (!options.yes && !(await isAgreed())) {
      say('Nothing was changed.', '何も変更しませんでした。');
      return 1;
    }
    for (const { apply } of plan) await apply();
    say(`${counted(plan.length, 'change')} made.`, `${plan.length} 件を変更しました。`);
    return 0;
  });
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(
      `${file} cannot be read: ${whyUnreadable(error).en}.`,
      `${file} を読み込めません: ${whyUnreadable(error).ja}。`,
    );
  }
}

async function isAgreed(): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new ConfigError(
      'There is nobody to ask here; use --yes to apply.',
      '確認できる人がいません。適用するには --yes を付けてください。',
    );
  return agrees(text('Apply? [y/N] ', '適用しますか。[y/N] '));
}
