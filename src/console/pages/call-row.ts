import { html } from 'hono/html';
import type { ErrorCode } from '../../contract/error.ts';
import type { AuditEntry } from '../../contract/records.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { kindOf, subjectOf } from '../recent-calls.ts';
import { duration, line, named, time, who } from '../shown.ts';
import type { Html, View } from './view.ts';

/** One call as a row of a list, which is ordered by end time. */
export function callRow(entry: AuditEntry, view: Pick<View, 'say' | 'locale' | 'dependencies'>): Html {
  const kind = kindOf(entry);
  return html`<li class="call ${kind}"><a href="/calls/${entry.seq}">
<span class="when">${time(entry.atMs + entry.durationMs, view)}</span><span class="tool">${line(entry.tool, 60)}</span>
<span class="given">${line(subjectOf(entry), 160)}</span>
<span class="caller">${line(clientName(entry) ?? '', 40) || who(entry.principal, view)}</span><span class="outcome">${outcomeOf(entry, view)}</span>
<span class="took">${duration(entry.durationMs)}</span></a></li>`;
}

export function callRows(entries: readonly AuditEntry[], view: View): Html {
  return html`${entries.map((entry) => callRow(entry, view))}`;
}

export function outcomeOf({ code, outcome }: AuditEntry, view: Pick<View, 'say'>): Html {
  return code === undefined ? named(outcome, outcomes, view) : named(code, codes, view);
}

/** The name without its version. */
function clientName({ client }: AuditEntry): string | undefined {
  return client?.replace(/ \S+$/, '');
}

export const outcomes = {
  ok: text('passed', '成功'),
  error: text('failed', '失敗'),
  question: text('asked', '確認'),
  interrupted: text('interrupted', '中断'),
};

const codes: Readonly<Record<ErrorCode, Text>> = {
  not_found: text('not found', '見つからない'),
  unauthenticated: text('not logged in', '未認証'),
  forbidden: text('not allowed', '権限なし'),
  rate_limited: text('too many calls', '回数超過'),
  invalid_parameter: text('wrong argument', '引数の誤り'),
  invalid_path: text('wrong path', 'パスの誤り'),
  out_of_scope: text('outside the folders', '対象フォルダー外'),
  conflict: text('conflict', '競合'),
  unsupported_encoding: text('unknown encoding', '未対応の文字コード'),
  unsupported_type: text('unknown type', '未対応の種類'),
  too_large: text('too large', '大きすぎる'),
  denied: text('denied', '拒否'),
  approval_pending: text('asked', '確認'),
  still_running: text('still running', '実行中'),
  timed_out: text('timed out', '時間切れ'),
  cancelled: text('cancelled', '取り消し'),
  interrupted: text('interrupted', '中断'),
  unavailable: text('unavailable', '利用できない'),
  storage_full: text('disk full', '容量不足'),
  upstream_error: text('server failed', 'サーバーの失敗'),
  GUARD_VIOLATION: text('pipeline refused', 'パイプラインの拒否'),
  STAGE_FAILED: text('stage failed', '段階の失敗'),
  TIMEOUT: text('timed out', '時間切れ'),
  MISSING_BINARY: text('program missing', 'プログラムなし'),
  internal: text('internal fault', '内部エラー'),
};
