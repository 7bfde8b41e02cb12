import { text } from '../../../../contract/text/text.ts';
import { type Dialect, row } from '../dialect.ts';

/** Services whose calls are names in the path, and run by GET, too. */
export const chat: Dialect = {
  name: 'chat',
  hosts: ['api.telegram.org', 'slack.com'],
  isShared: true,
  rows: [
    row.read(
      'GET /bot{token}/{call}',
      text('asks Telegram for {call}', 'Telegram に {call} を問い合わせます'),
      { when: ({ path }) => /\/get[A-Z]\w*$/.test(path) },
    ),
    row.send(
      'GET|POST /bot{token}/{call}',
      text('sends by {call} of Telegram', 'Telegram の {call} で送ります'),
    ),
    row.read('GET /api/{call}', text('asks Slack for {call}', 'Slack に {call} を問い合わせます'), {
      when: ({ path }) => /\.(?:list|info|history|test|replies|members|permalink)$/.test(path),
    }),
    row.send('GET|POST /api/{call}', text('sends by {call} of Slack', 'Slack の {call} で送ります')),
  ],
};
