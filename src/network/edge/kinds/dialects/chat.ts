import { text } from '../../../../contract/text/text.ts';
import type { Dialect } from '../dialect.ts';

/** Services whose calls are names in the path, and run by GET, too. */
export const chat: Dialect = {
  name: 'chat',
  hosts: ['api.telegram.org', 'slack.com'],
  isShared: true,
  rows: [
    {
      of: 'GET /bot{token}/{call}',
      kind: 'read',
      says: text('asks Telegram for {call}', 'Telegram に {call} を問い合わせます'),
      when: ({ path }) => /\/get[A-Z]\w*$/.test(path),
      examples: ['GET /bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1/getMe'],
    },
    {
      of: 'GET|POST /bot{token}/{call}',
      kind: 'send',
      says: text('sends by {call} of Telegram', 'Telegram の {call} で送ります'),
      examples: ['GET /bot1:a/sendMessage?chat_id=7&text=x', 'POST /bot1:a/sendMessage {}'],
    },
    {
      of: 'GET /api/{call}',
      kind: 'read',
      says: text('asks Slack for {call}', 'Slack に {call} を問い合わせます'),
      when: ({ path }) => /\.(?:list|info|history|test|replies|members|permalink)$/.test(path),
      examples: ['GET /api/conversations.list?limit=100'],
    },
    {
      of: 'GET|POST /api/{call}',
      kind: 'send',
      says: text('sends by {call} of Slack', 'Slack の {call} で送ります'),
      examples: ['GET /api/chat.postMessage?channel=a&text=x'],
    },
  ],
};
