import { ToolError } from '../contract/error.ts';
import type { Native } from '../contract/native.ts';
import { text } from '../contract/text/text.ts';
import { once } from '../ground/waiting/once.ts';
import { nothingSeen } from '../history/witness.ts';
import type { Prompts } from '../store/prompts.ts';
import type { Rooms } from './rooms.ts';

export function createNative(rooms: Rooms, prompts: Prompts): Native {
  const followed = once(async () => {
    const { asFollowing } = await import('../files/workspace.ts');
    return asFollowing((await rooms.workspace()).folder);
  });
  return {
    hear: prompts.add,
    forget: prompts.forget,
    async witness(path) {
      const seen = await (await rooms.history()).witness(await followed(), path);
      return rooms.settings.history.enabled ? seen : nothingSeen;
    },
    async checkAddress(url) {
      (await rooms.web()).check(url);
    },
    async beginIn(sessionId, found) {
      (await rooms.commands()).begin(sessionId, found);
    },
    async findFolder(folder) {
      const found = (await rooms.commands()).findFolder(folder);
      if (found !== undefined) return found;
      throw new ToolError(
        'out_of_scope',
        'The client works in a folder that was not allowed.',
        'クライアントは許可されていないフォルダーで動いています。',
        text(
          'Start it in an allowed folder, or allow this one with --allow-path.',
          '許可されたフォルダーで起動するか、--allow-path で許可してください。',
        ),
      );
    },
  };
}
