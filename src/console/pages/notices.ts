import { html } from 'hono/html';
import type { NoticeRecord, PushDevice } from '../../contract/notice.ts';
import type { Passkey } from '../../contract/passkey.ts';
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
  const say = view.words.notices;
  return page(
    view,
    'notices',
    say.title,
    html`<section aria-labelledby="device-title"><h2 id="device-title">${say.device}</h2><p class="quiet">${say.deviceNote}</p>
<div data-push="${pushKey}" data-failed="${say.pushFailed}" data-refused="${say.pushRefused}" data-missing="${say.pushMissing}">${form(view, '/notices/devices', html`<input type="hidden" name="endpoint"><input type="hidden" name="p256dh"><input type="hidden" name="auth"><input type="hidden" name="label"><button class="yes">${say.pushOn}</button>`, 'row')}<p role="status" data-said></p></div>
<p><label class="check"><input type="checkbox" data-sound> ${say.sound}</label></p>
${devices.length === 0 ? '' : html`<ul class="cards">${devices.map((device) => deviceCard(device, view))}</ul>`}</section>
<section aria-labelledby="passkey-title"><h2 id="passkey-title">${say.passkeys}</h2><p class="quiet">${say.passkeysNote}</p>
<div data-passkey data-failed="${say.passkeyFailed}" data-missing="${say.passkeyMissing}">${form(view, '/passkeys', html`<label>${say.label}<input name="label" maxlength="60" required autocomplete="off"></label><input type="hidden" name="credential"><button>${say.passkeyNew}</button>`, 'stack narrow')}<p role="status" data-said></p></div>
${passkeys.length === 0 ? '' : html`<ul class="cards">${passkeys.map((passkey) => passkeyCard(passkey, view))}</ul>`}</section>
<section aria-labelledby="channels-title"><h2 id="channels-title">${say.channels}</h2><ul class="cards">${view.dependencies.notify.channels.map(({ name, kind }) => channelCard(name, kind, view))}</ul><p class="quiet">${say.channelsNote}</p></section>
<section aria-labelledby="log-title"><h2 id="log-title">${say.log}</h2>${log.length === 0 ? html`<p class="empty">${say.noLog}</p>` : html`<ol class="rows" data-list>${log.map((record) => logRow(record, view))}</ol>`}</section>`,
  );
}

function deviceCard({ id, label, person, createdAtMs }: PushDevice, view: View): Html {
  const { remove } = view.words.notices;
  return html`<li class="card row between"><span><strong>${line(label, 80)}</strong> <span class="quiet">${line(person, 60)} · ${time(createdAtMs, view)}</span></span>
${form(view, `/notices/devices/${id}/remove`, html`<button class="no" aria-label="${remove}: ${line(label, 80)}">${remove}</button>`)}</li>`;
}

function passkeyCard({ id, label, host, person, usedAtMs }: Passkey, view: View): Html {
  const { remove, used } = view.words.notices;
  const last = usedAtMs === undefined ? '' : html` · ${used} ${time(usedAtMs, view)}`;
  return html`<li class="card row between"><span><strong>${line(label, 80)}</strong> <span class="quiet">${line(person, 60)} · ${line(host, 80)}${last}</span></span>
${form(view, `/passkeys/${encodeURIComponent(id)}/remove`, html`<button class="no" aria-label="${remove}: ${line(label, 80)}">${remove}</button>`)}</li>`;
}

function channelCard(name: string, kind: string, view: View): Html {
  const { test, second } = view.words.notices;
  const isSecond = view.dependencies.notify.escalate?.to.includes(name) === true;
  return html`<li class="card row between"><span><strong>${line(name)}</strong> <span class="quiet">${[kind === name ? '' : kind, isSecond ? second : ''].filter(Boolean).join(' · ')}</span></span>
${form(view, `/notices/test/${name}`, html`<button aria-label="${test}: ${line(name)}">${test}</button>`)}</li>`;
}

function logRow(record: NoticeRecord, view: View): Html {
  const { kinds, statuses, attempts, again } = view.words.notices;
  const { atMs, channel, kind, status, problem, nextAtMs } = record;
  const outcome = { sent: 'passed', waiting: 'asked', failed: 'failed', dropped: 'asked' }[status];
  const next = nextAtMs === undefined ? '' : html` · ${again} ${time(nextAtMs, view)}`;
  return html`<li class="${outcome}"><span class="when">${time(atMs, view)}</span> <span class="tool">${line(channel)}</span> <span class="quiet">${kinds[kind]}</span> <span class="outcome">${statuses[status]}</span> <span class="quiet">${attempts(record.attempts)}${problem ? ` · ${problem[view.locale]}` : ''}${next}</span></li>`;
}
