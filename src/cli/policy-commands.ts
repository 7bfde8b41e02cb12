import { explainRules, renderExplanation, renderTrial, tryCall } from '../checkpoint/policy.ts';
import { createRooms } from '../checkpoint/rooms.ts';
import { createTeamRoom } from '../checkpoint/team.ts';
import { type Flags, loadSettings } from '../config/load.ts';
import { say } from './say.ts';

type Options = Readonly<Record<string, unknown>>;

/** Lists the rules in force. */
export async function explain(flags: Flags, options: Options): Promise<number> {
  const settings = loadSettings(flags);
  const explained = explainRules(settings);
  say(options.json ? JSON.stringify(explained, null, 2) : renderExplanation(explained, settings.locale));
  return 0;
}

/** Says what would happen to a call; nothing is run or recorded. Exit code 0 for allow, 1 for ask, 2 for deny. */
export async function test(json: string, flags: Flags, options: Options): Promise<number> {
  const settings = loadSettings(flags);
  const rooms = createRooms(settings);
  try {
    const trial = await tryCall(json, rooms, createTeamRoom(settings, rooms.store, Date.now));
    say(options.json ? JSON.stringify(trial) : renderTrial(trial, settings.locale));
    return { allow: 0, ask: 1, deny: 2, invalid: 2 }[trial.decision];
  } finally {
    await rooms.close();
  }
}
