import type { Flags } from '../../config/settings.ts';
import type { StandingGrant } from '../../contract/people/story.ts';
import { cleanLine } from '../../contract/text/clean-text.ts';
import { text } from '../../contract/text/text.ts';
import type { Options } from '../common/options.ts';
import { inLocale, say, sayJson } from '../common/say.ts';
import { idsOf, wholeId } from '../common/whole-id.ts';
import { withOperator } from '../common/with-operator.ts';
import { inWords } from './show.ts';

/** Lists the standing approvals; with `unused` those not needed for weeks. */
export function listGrants(flags: Flags, options: Options): Promise<number> {
  return withOperator(flags, async ({ operator }) => {
    const grants = (await operator.grants()).filter(({ isUnused }) => isUnused || !options.unused);
    if (options.json) sayJson(grants.map(({ record, ...rest }) => ({ ...inWords(record), ...rest })));
    else if (grants.length === 0) say('There are no standing approvals.', '継続中の許可はありません。');
    else for (const grant of grants) say(describeGrant(grant));
    return 0;
  });
}

/** Revokes standing approvals, so that such calls are asked about again: one by its id, or all `unused` ones. */
export function revokeGrants(id: string | undefined, flags: Flags, options: Options): Promise<number> {
  return withOperator(flags, async ({ acts, operator }) => {
    const grants = await operator.grants();
    const ids =
      id === undefined
        ? grants.filter(({ isUnused }) => isUnused && options.unused).map(({ record }) => record.id)
        : [wholeId(id, idsOf(grants.map(({ record }) => record)))];
    let code = ids.length > 0 ? 0 : 1;
    if (ids.length === 0) say('There are none to revoke.', '取り消す許可はありません。');
    for (const each of ids) {
      const revoked = await acts.revokeGrant(each);
      if (!revoked) code = 1;
      say(
        revoked
          ? text(`${each} is revoked.`, `${each} を取り消しました。`)
          : text(
              `There is no standing approval ${each}. \`sekisho approve grants\` lists them.`,
              `${each} の許可はありません。\`sekisho approve grants\` で一覧を確認できます。`,
            ),
      );
    }
    return code;
  });
}

function describeGrant({ record, rule, endsAtMs, isUnused }: StandingGrant): string {
  const since = new Date(record.createdAtMs).toISOString();
  const whose = `${record.principal} ${record.scope}${record.scope === 'session' ? ` ${record.sessionId}` : ''}`;
  const by = cleanLine(record.decidedBy ?? '');
  const about = text(
    `since ${since}  ${cleanLine(whose)}  by ${by}`,
    `${since} から  ${cleanLine(whose)}  許可した人: ${by}`,
  );
  const facts = [
    ...(endsAtMs === undefined ? [] : [endsWords(endsAtMs)]),
    usedWords(record.lastUsedAtMs),
    ...(isUnused ? [unusedWords(record.id)] : []),
  ];
  return `${record.id}  ${inLocale(about)}\n  ${cleanLine(rule)}\n  ${facts.map((fact) => inLocale(fact)).join('  ')}`;
}

function endsWords(atMs: number) {
  const at = new Date(atMs).toISOString();
  return text(`ends ${at}`, `${at} に終了`);
}

function usedWords(atMs: number | undefined) {
  if (atMs === undefined) return text('not used yet', '未使用');
  const at = new Date(atMs).toISOString();
  return text(`last used ${at}`, `最終使用 ${at}`);
}

function unusedWords(id: string) {
  return text(
    `unused for two weeks: \`sekisho approve revoke ${id}\``,
    `2 週間使われていません: \`sekisho approve revoke ${id}\``,
  );
}
