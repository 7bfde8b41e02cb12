import type { HistoryStore } from '../../contract/capabilities/history.ts';
import { ConfigError } from '../../contract/error.ts';
import type { ApprovalStore } from '../../contract/records.ts';

/** Fewer characters match by accident. */
const fewestChars = 4;

/** The id that begins with these characters, with or without its prefix; else they. Several: `ConfigError`. */
export function wholeId(given: string, ids: readonly string[]): string {
  if (ids.includes(given)) return given;
  const begun = given.slice(given.indexOf('_') + 1);
  if (begun.length < fewestChars) return given;
  const fitting = ids.filter((id) => id.startsWith(given) || id.slice(id.indexOf('_') + 1).startsWith(given));
  if (fitting.length > 1)
    throw new ConfigError(
      `${given} is ambiguous: ${fitting.slice(0, 5).join(', ')}. Give more characters.`,
      `${given} で始まるものが複数あります: ${fitting.slice(0, 5).join('、')}。もう少し長く指定してください。`,
    );
  return fitting[0] ?? given;
}

/** A question's id. Open questions come before closed ones. */
export async function wholeApprovalId(given: string, approvals: ApprovalStore): Promise<string> {
  if (await approvals.get(given)) return given;
  const waiting = wholeId(given, idsOf(await approvals.list('pending', Date.now())));
  return waiting === given ? wholeId(given, idsOf(await approvals.list(undefined, Date.now()))) : waiting;
}

export function isWholeApprovalId(given: string): boolean {
  return /^apr_[a-z0-9]{16}$/.test(given);
}

/** A change's id. */
export async function wholeEntryId(given: string, history: HistoryStore): Promise<string> {
  if (await history.get(given)) return given;
  return wholeId(given, idsOf(await history.list({ limit: newestEntries })));
}

/** The number of changes that are searched for a prefix. */
const newestEntries = 10_000;

export function idsOf(records: readonly { readonly id: string }[]): readonly string[] {
  return records.map(({ id }) => id);
}
