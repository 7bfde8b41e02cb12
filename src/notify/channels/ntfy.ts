import type { ChannelSettings } from '../../contract/people/notice.ts';
import { text } from '../../contract/text/text.ts';
import type { Notice } from '../notice.ts';
import { post } from './post.ts';

/** ntfy's JSON form: posted to the server's root, with the topic in the body. */
export function sendNtfy(
  notice: Notice,
  { url, token }: Extract<ChannelSettings, { kind: 'ntfy' }>,
  signal: AbortSignal,
): Promise<void> {
  const at = url.lastIndexOf('/');
  const { title, body, link, deny, allow, locale } = notice;
  const actions = [
    ...(link === undefined ? [] : [{ action: 'view', label: labels.look[locale], url: link, clear: true }]),
    ...(deny === undefined ? [] : [{ ...button, label: labels.deny[locale], url: deny }]),
    ...(allow === undefined ? [] : [{ ...button, label: labels.allow[locale], url: allow }]),
  ];
  return post(
    {
      url: url.slice(0, at + 1),
      headers: {
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({
        topic: url.slice(at + 1),
        title,
        message: body === '' ? title : body,
        priority: 4,
        tags: ['shinto_shrine'],
        click: link,
        actions,
      }),
    },
    signal,
  );
}

const button = { action: 'http', method: 'POST', clear: true } as const;

export const labels = {
  look: text('View', '内容を見る'),
  deny: text('Deny', '拒否'),
  allow: text('Allow once', '今回だけ許可'),
} as const;
