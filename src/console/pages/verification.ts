import { html } from 'hono/html';
import type { AuditLog, AuditVerdict } from '../../contract/records.ts';
import { sharing } from '../../ground/waiting/sharing.ts';
import { clock, count } from '../shown.ts';
import type { Html, View } from './view.ts';

/** The state of the chain, as verified since the server started. */
export type ChainState =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'running' }
  | { readonly kind: 'known'; readonly verdict: AuditVerdict; readonly atMs: number };

export type Verification = ReturnType<typeof createVerification>;

export function createVerification(audit: () => Promise<AuditLog>, now: () => number) {
  let known: ChainState = { kind: 'unknown' };
  /** Verifies the chain; concurrent requests share one pass. */
  const verify = sharing(async () => {
    const verdict = await (await audit()).verify();
    known = { kind: 'known', verdict, atMs: now() };
  });
  return { state: (): ChainState => (verify.running() ? { kind: 'running' } : known), verify };
}

export function chainLine(state: ChainState, { say, locale }: View): Html {
  if (state.kind === 'unknown')
    return html`<span class="quiet">${say('Not verified since the server started.', 'サーバーの起動後、まだ検証していません。')}</span>`;
  if (state.kind === 'running') return html`<span class="quiet">${say('Verifying…', '検証中です…')}</span>`;
  const at = clock(new Date(state.atMs), locale, true);
  const { verdict } = state;
  return verdict.ok
    ? html`<span class="good">${say(`Unbroken: ${count(verdict.entries, locale)} ${count(verdict.entries, locale) === '1' ? 'entry' : 'entries'}, verified ${at}.`, `正常です（${count(verdict.entries, locale)} 件、${at} に検証）。`)}</span>`
    : html`<strong class="bad" role="alert">${say(`Broken at entry ${count(verdict.seq, locale)} (verified ${at}).`, `記録 ${count(verdict.seq, locale)} でチェーンが壊れています（${at} に検証）。`)} ${verdict.problem[locale]}</strong>`;
}
