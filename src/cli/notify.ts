import type { Flags } from '../config/settings.ts';
import { badValue, ConfigError } from '../contract/error.ts';
import type { NoticeRecord } from '../contract/people/notice.ts';
import { text } from '../contract/text/text.ts';
import { noticeKinds, noticeStates } from '../ground/questions/notice-words.ts';
import type { Options } from './common/options.ts';
import { inLocale, say, sayJson, sayList, sayRow, sayWhether } from './common/say.ts';
import { idsOf, wholeId } from './common/whole-id.ts';
import { withOperator } from './common/with-operator.ts';

/** Lists the channels of notices. */
export function listChannels(flags: Flags, options: Options): Promise<number> {
  return withOperator(flags, async ({ checkpoint }) => {
    const { channels, escalate } = checkpoint.settings.notify;
    const devices = await (await checkpoint.store()).notices.devices();
    const shown = channels.map(({ name, kind }) => ({
      name,
      kind,
      escalation: escalate?.to.includes(name) === true,
      ...(kind === 'push' && { devices: devices.length }),
    }));
    sayList(shown, options, ({ name, kind, escalation, devices: reached }) => {
      const second = escalation ? [inLocale('when nobody answers', '回答がないとき')] : [];
      const many = reached === undefined ? [] : [inLocale(`devices: ${reached}`, `端末: ${reached}`)];
      return [name, kind, ...many, ...second];
    });
    return 0;
  });
}

/** Sends one test notice, and reports the result. */
export function testChannel(name: string, flags: Flags, options: Options): Promise<number> {
  return withOperator(flags, async ({ acts, checkpoint }) => {
    const tried = await acts.testNotice(name);
    if (!tried) {
      const names = checkpoint.settings.notify.channels.map((channel) => channel.name).join(', ');
      throw new ConfigError(
        `There is no channel ${JSON.stringify(name)}; there are ${names}.`,
        `チャンネル ${JSON.stringify(name)} はありません。あるのは ${names} です。`,
      );
    }
    if (options.json) sayJson(tried);
    else sayRow(cellsOf(tried));
    return tried.status === 'sent' ? 0 : 1;
  });
}

/** Lists the newest notices and their deliveries. */
export function noticeLog(flags: Flags, options: Options): Promise<number> {
  const lines = Number(options.lines);
  if (!(Number.isInteger(lines) && lines >= 1 && lines <= 1000))
    throw badValue('--lines', options.lines, 'must be 1 to 1000', 'には 1～1000 を指定してください');
  return withOperator(flags, async ({ checkpoint }) => {
    const records = await (await checkpoint.store()).notices.list(lines);
    for (const record of records.toReversed()) {
      if (options.json) sayJson(record);
      else sayRow(cellsOf(record));
    }
    if (records.length === 0 && !options.json) say('No notice was sent yet.', '通知はまだ送られていません。');
    return 0;
  });
}

function cellsOf(record: NoticeRecord): readonly string[] {
  const { atMs, channel, kind, questions, status, attempts, problem, nextAtMs } = record;
  const next = nextAtMs === undefined ? [] : [inLocale(tryAgain(new Date(nextAtMs).toISOString()))];
  return [
    ...[new Date(atMs).toISOString(), channel, inLocale(noticeKinds[kind]), inLocale(noticeStates[status])],
    inLocale(`attempt ${attempts}`, `${attempts} 回目`),
    ...(problem ? [inLocale(problem)] : []),
    ...next,
    ...questions,
  ];
}

const tryAgain = (time: string) => text(`again at ${time}`, `${time} に再試行`);

/** Lists the browsers that web push reaches. */
export function listDevices(flags: Flags, options: Options): Promise<number> {
  return withOperator(flags, async ({ checkpoint }) => {
    const devices = await (await checkpoint.store()).notices.devices();
    const shown = devices.map(({ id, person, label, createdAtMs }) => ({ id, person, label, createdAtMs }));
    const none = text(
      'No devices. On the device, open the page “Notices” of the console.',
      '端末はありません。端末でコンソールの「通知」ページを開いてください。',
    );
    sayList(shown, options, ({ id, person, label }) => [id, person, label], none);
    return 0;
  });
}

export function removeDevice(id: string, flags: Flags): Promise<number> {
  return withOperator(flags, async ({ acts }) => {
    return sayWhether(
      await acts.removeDevice(id),
      text(`${id} gets no more notices.`, `${id} には今後通知しません。`),
      text(`There is no device ${id}.`, `端末 ${id} はありません。`),
    );
  });
}

/** Lists the passkeys that answer and log in. */
export function listPasskeys(flags: Flags, options: Options): Promise<number> {
  return withOperator(flags, async ({ checkpoint }) => {
    const passkeys = await (await checkpoint.store()).passkeys.list();
    sayList(passkeys, options, ({ id, person, host, label }) => [id, person, host, label], none);
    return 0;
  });
}

const none = text(
  'No passkeys. Register one on the page “Notices” of the console.',
  'パスキーはありません。コンソールの「通知」ページで登録できます。',
);

/** Removes the passkey of a lost device, which then neither answers nor logs in. */
export function removePasskey(id: string, flags: Flags): Promise<number> {
  return withOperator(flags, async ({ acts, checkpoint }) => {
    const whole = wholeId(id, idsOf(await (await checkpoint.store()).passkeys.list()));
    return sayWhether(
      await acts.removePasskey(whole),
      text(`${whole} can no longer answer questions.`, `${whole} では今後回答できません。`),
      text(`There is no passkey ${id}.`, `パスキー ${id} はありません。`),
    );
  });
}
