import type { ChannelSettings } from '../../contract/people/notice.ts';
import type { Notice } from '../notice.ts';
import { labels } from './ntfy.ts';
import { post } from './post.ts';

/** An incoming webhook with blocks. A button contains its link's secret, and counts only if Slack signs it. */
export function sendSlack(
  notice: Notice,
  { url }: Extract<ChannelSettings, { kind: 'slack' }>,
  signal: AbortSignal,
): Promise<void> {
  const { title, body, link, deny, allow, locale } = notice;
  const buttons = [
    ...(link === undefined ? [] : [{ ...button(labels.look[locale], 'look'), url: link }]),
    ...(deny === undefined ? [] : [{ ...button(labels.deny[locale], 'deny', deny), style: 'danger' }]),
    ...(allow === undefined ? [] : [{ ...button(labels.allow[locale], 'allow', allow), style: 'primary' }]),
  ];
  const blocks = [
    { type: 'section', text: { type: 'plain_text', text: title } },
    // Plain text, so that a caller's text becomes no link and mentions no one.
    ...(body === '' ? [] : [{ type: 'section', text: { type: 'plain_text', text: body } }]),
    ...(buttons.length === 0 ? [] : [{ type: 'actions', elements: buttons }]),
  ];
  return post(
    {
      url,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: escaped(title), blocks }),
    },
    signal,
  );
}

function button(label: string, id: string, value?: string) {
  return { type: 'button', action_id: `sekisho-${id}`, text: { type: 'plain_text', text: label }, value };
}

/** The text for clients without blocks uses Slack's markup. */
function escaped(words: string): string {
  return words.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
