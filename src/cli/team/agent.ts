import type { Flags } from '../../config/settings.ts';
import { ConfigError } from '../../contract/error.ts';
import type { AgentRecord } from '../../contract/team/admin.ts';
import { text } from '../../contract/text/text.ts';
import { wholeNumber } from '../common/duration.ts';
import type { Options } from '../common/options.ts';
import { say, sayJson, sayList } from '../common/say.ts';
import { secretFrom, withTeam } from './with-team.ts';

/** Adds an agent; a generated passkey is shown once. */
export function addAgent(id: string, flags: Flags, options: Options): Promise<number> {
  const { secret, isNew } = secretFrom(options.passkeyEnv, 'pk_');
  const hierarchy = options.manager ? 'manager' : 'worker';
  return withTeam(flags, async (admin) => {
    await admin.addAgent({
      id,
      name: String(options.name ?? id),
      hierarchy,
      parentId: options.parent as string | undefined,
      passkey: secret,
      maxParallelTasks:
        options.maxParallelTasks === undefined
          ? undefined
          : wholeNumber(options.maxParallelTasks, '--max-parallel-tasks'),
    });
    for (const project of (options.project as string[] | undefined) ?? []) await admin.assign(id, project);
    if (options.json) sayJson({ id, hierarchy, ...(isNew ? { passkey: secret } : {}) });
    else
      say(
        isNew
          ? text(
              `${id} is added. Its passkey, shown only now: ${secret}`,
              `${id} を追加しました。パスキー（表示は今だけ）: ${secret}`,
            )
          : text(`${id} is added.`, `${id} を追加しました。`),
      );
    return 0;
  });
}

export function listAgents(flags: Flags, options: Options): Promise<number> {
  return withTeam(flags, async (admin) => {
    const none = text(
      'No agents. `sekisho agent add ID` adds one.',
      'エージェントはありません。`sekisho agent add ID` で追加できます。',
    );
    sayList(await admin.agents(), options, cellsOf, none);
    return 0;
  });
}

function cellsOf({ id, name, hierarchy, parentId = '-', projects }: AgentRecord) {
  return [id, name, hierarchy, parentId, projects.join(',') || '-'];
}

/** Sets a new passkey; sessions under the old one end. */
export function changePasskey(id: string, flags: Flags, options: Options): Promise<number> {
  const { secret, isNew } = secretFrom(options.passkeyEnv, 'pk_');
  return withTeam(flags, async (admin) => {
    await admin.changeAgent(id, { passkey: secret });
    say(
      isNew
        ? text(
            `The new passkey of ${id}, shown only now: ${secret}`,
            `${id} の新しいパスキー（表示は今だけ）: ${secret}`,
          )
        : text(`${id} has a new passkey.`, `${id} のパスキーを変更しました。`),
    );
    return 0;
  });
}

export function removeAgent(id: string, flags: Flags): Promise<number> {
  return withTeam(flags, async (admin) => {
    if (!(await admin.removeAgent(id)))
      throw new ConfigError(
        `There is no agent ${JSON.stringify(id)}. \`sekisho agent list\` lists them.`,
        `エージェント ${JSON.stringify(id)} はありません。\`sekisho agent list\` で一覧を確認できます。`,
      );
    say(
      `${id} is removed; its open tasks are available again.`,
      `${id} を削除しました。担当していた未完了のタスクは担当なしに戻りました。`,
    );
    return 0;
  });
}

/** Sets the token of the program that starts agents; the previous one becomes invalid. */
export function setCoordinatorToken(flags: Flags, options: Options): Promise<number> {
  const { secret, isNew } = secretFrom(options.tokenEnv, 'coord_');
  return withTeam(flags, async (admin) => {
    await admin.setCoordinatorToken(secret);
    say(
      isNew
        ? text(
            `${secret}\n\nIt is shown only now; the old token no longer works.`,
            `${secret}\n\n表示するのは今だけです。以前のトークンはもう使えません。`,
          )
        : text('The token is set.', 'トークンを設定しました。'),
    );
    return 0;
  });
}
