import { html } from 'hono/html';
import type { NoticeRecord, PushDevice } from '../../contract/people/notice.ts';
import type { Passkey } from '../../contract/people/passkey.ts';
import { noticeKinds, noticeStates } from '../../ground/questions/notice-words.ts';
import { line, time } from '../shown.ts';
import { form, page } from './page.ts';
import type { Html, View } from './view.ts';

export interface NoticeParts {
  readonly devices: readonly PushDevice[];
  readonly passkeys: readonly Passkey[];
  readonly log: readonly NoticeRecord[];
  readonly pushKey: string;
}

/** This device comes first, since a person with a phone comes to set it up. */
export function noticesPage({ devices, passkeys, log, pushKey }: NoticeParts, view: View): Html {
  const { say } = view;
  return page(
    view,
    'notices',
    html`<section aria-labelledby="device-title"><h2 id="device-title">${say('This device', 'この端末')}</h2><p class="quiet">${say('Waiting questions reach this browser even while it is closed. On an iPhone or iPad, add the console to the Home Screen first.', 'ブラウザーを閉じていても、待っている質問がこの端末に届きます。iPhone と iPad では、先にコンソールをホーム画面に追加してください。')}</p>
<div data-push="${pushKey}" data-failed="${say('It could not be turned on: the browser reached no push service, or the page was not loaded over https.', '有効にできませんでした。プッシュサービスに接続できないか、ページが https ではありません。')}" data-refused="${say('The browser is set not to show notices from this page. You can change that in its settings.', 'ブラウザーがこのページの通知を許可していません。ブラウザーの設定で変更できます。')}" data-missing="${say('This browser has no web push here. It needs https, and on an iPhone the Home Screen.', 'このブラウザーでは、ここで Web プッシュを使えません。https が必要で、iPhone ではホーム画面への追加も必要です。')}">${form(view, '/notices/devices', html`<input type="hidden" name="endpoint"><input type="hidden" name="p256dh"><input type="hidden" name="auth"><input type="hidden" name="label"><button class="yes">${say('Notify me on this device', 'この端末に通知する')}</button>`, 'row')}<p role="status" data-said></p></div>
<p><label class="check"><input type="checkbox" data-sound> ${say('A sound in this browser when a question comes, while Overview or Approvals is open', '概要または承認のページを開いている間、質問が来たら音を鳴らす')}</label></p>
${devices.length === 0 ? '' : html`<ul class="cards">${devices.map((device) => deviceCard(device, view))}</ul>`}</section>
<section aria-labelledby="passkey-title"><h2 id="passkey-title">${say('Passkeys', 'パスキー')}</h2><p class="quiet">${say('With a passkey, you answer questions and log in by unlocking your device. Once you have one, no address in a notice can allow anything.', 'パスキーがあると、端末のロック解除で質問に回答し、コンソールにログインできます。登録した後は、通知のアドレスだけでは何も許可できません。')}</p>
<div data-passkey data-failed="${say('It was not registered: the device declined, already has one, or passkeys do not work at this address (only https, or localhost).', '登録できませんでした。端末が拒否したか、登録済みか、パスキーを使えないアドレスです（https または localhost が必要）。')}" data-missing="${say('Passkeys work only at https:// addresses and at localhost.', 'パスキーを使えるのは、https:// のアドレスと localhost だけです。')}">${form(view, '/passkeys', html`<label>${say('Name of the device', '端末の名前')}<input name="label" maxlength="60" required autocomplete="off"></label><input type="hidden" name="credential"><button>${say('Register a passkey', 'パスキーを登録')}</button>`, 'stack narrow')}<p role="status" data-said></p></div>
${passkeys.length === 0 ? '' : html`<ul class="cards">${passkeys.map((passkey) => passkeyCard(passkey, view))}</ul>`}</section>
<section aria-labelledby="channels-title"><h2 id="channels-title">${say('Channels', '送り先')}</h2><ul class="cards">${view.dependencies.notify.channels.map(({ name, kind }) => channelCard(name, kind, view))}</ul><p class="quiet">${say('Configure more under notify.channels in the configuration file.', '送り先は設定ファイルの notify.channels で追加できます。')}</p></section>
<section aria-labelledby="log-title"><h2 id="log-title">${say('Deliveries', '配信の記録')}</h2>${log.length === 0 ? html`<p class="empty">${say('No notices have been sent yet.', '通知はまだ送られていません。')}</p>` : html`<ol class="rows" data-list>${log.map((record) => logRow(record, view))}</ol>`}</section>`,
  );
}

function deviceCard({ id, label, person, createdAtMs }: PushDevice, view: View): Html {
  const { say } = view;
  const remove = say('Remove', '削除');
  return html`<li class="card row between"><span><strong>${line(label, 80)}</strong> <span class="quiet">${line(person, 60)} · ${time(createdAtMs, view)}</span></span>
${form(view, `/notices/devices/${id}/remove`, html`<button class="no" aria-label="${remove}: ${line(label, 80)}">${remove}</button>`)}</li>`;
}

function passkeyCard({ id, label, host, person, usedAtMs }: Passkey, view: View): Html {
  const { say } = view;
  const remove = say('Remove', '削除');
  const last = usedAtMs === undefined ? '' : html` · ${say('last used', '最終使用')} ${time(usedAtMs, view)}`;
  return html`<li class="card row between"><span><strong>${line(label, 80)}</strong> <span class="quiet">${line(person, 60)} · ${line(host, 80)}${last}</span></span>
${form(view, `/passkeys/${encodeURIComponent(id)}/remove`, html`<button class="no" aria-label="${remove}: ${line(label, 80)}">${remove}</button>`)}</li>`;
}

function channelCard(name: string, kind: string, view: View): Html {
  const { say } = view;
  const test = say('Send a test', 'テスト送信');
  const isSecond = view.dependencies.notify.escalate?.to.includes(name) === true;
  return html`<li class="card row between"><span><strong>${line(name)}</strong> <span class="quiet">${[kind === name ? '' : kind, isSecond ? say('when nobody answers', '回答がないとき') : ''].filter(Boolean).join(' · ')}</span></span>
${form(view, `/notices/test/${name}`, html`<button aria-label="${test}: ${line(name)}">${test}</button>`)}</li>`;
}

function logRow(record: NoticeRecord, view: View): Html {
  const { say } = view;
  const { atMs, channel, kind, status, problem, nextAtMs } = record;
  const outcome = { sent: 'passed', waiting: 'asked', failed: 'failed', dropped: 'asked' }[status];
  const next = nextAtMs === undefined ? '' : html` · ${say('again at', '再試行')} ${time(nextAtMs, view)}`;
  return html`<li class="${outcome}"><span class="when">${time(atMs, view)}</span> <span class="tool">${line(channel)}</span> <span class="quiet">${say(noticeKinds[kind])}</span> <span class="outcome">${say(noticeStates[status])}</span> <span class="quiet">${say(record.attempts === 1 ? '1 attempt' : `${record.attempts} attempts`, `${record.attempts} 回目`)}${problem ? ` · ${problem[view.locale]}` : ''}${next}</span></li>`;
}
