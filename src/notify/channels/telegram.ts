import type { ChannelSettings } from '../../contract/people/notice.ts';
import type { Notice } from '../notice.ts';
import { labels } from './ntfy.ts';
import { post } from './post.ts';

/** A bot's message, without markup: a caller's text stays text. Telegram's buttons take only https addresses. */
export function sendTelegram(
  { title, body, link, locale }: Notice,
  { url, token, chat }: Extract<ChannelSettings, { kind: 'telegram' }>,
  signal: AbortSignal,
): Promise<void> {
  const isButton = link?.startsWith('https://') === true;
  const lines = [title, body, isButton ? undefined : link];
  return post(
    {
      url: `${url.replace(/\/$/, '')}/bot${token}/sendMessage`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        chat_id: chat,
        link_preview_options: { is_disabled: true },
        text: lines.filter((line) => line !== undefined && line !== '').join('\n'),
        ...(isButton && {
          reply_markup: { inline_keyboard: [[{ text: labels.look[locale], url: link }]] },
        }),
      }),
    },
    signal,
  );
}
