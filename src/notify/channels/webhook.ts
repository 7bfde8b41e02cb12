import { createHmac } from 'node:crypto';
import type { ChannelSettings } from '../../contract/people/notice.ts';
import type { Notice } from '../notice.ts';
import { post } from './post.ts';

/** A JSON body signed by Standard Webhooks 1.0, so that the receiver verifies it and recognizes repetitions. */
export function sendWebhook(
  notice: Notice,
  { url, secret }: Extract<ChannelSettings, { kind: 'webhook' }>,
  nowMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { id, kind, title, body: words, link, questions, atMs } = notice;
  const body = JSON.stringify({
    type: kind,
    timestamp: new Date(atMs).toISOString(),
    title,
    body: words,
    link,
    questions,
  });
  const seconds = String(Math.floor(nowMs / 1000));
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': seconds,
    ...(secret !== undefined && {
      'webhook-signature': `v1,${signatureOf(`${id}.${seconds}.${body}`, secret)}`,
    }),
  };
  return post({ url, headers, body }, signal);
}

function signatureOf(signed: string, secret: string): string {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret;
  return createHmac('sha256', key).update(signed).digest('base64');
}
