import { text } from '../../../../contract/text/text.ts';
import type { Dialect, Row } from '../dialect.ts';

/** A host whose dialect is not known, judged by the methods of HTTP (RFC 9110, 9.3). */
export const rest: Dialect = {
  name: 'rest',
  hosts: [],
  rows: [
    {
      of: 'GET|HEAD|OPTIONS *',
      kind: 'read',
      says: text('reads from {host}', '{host} から読み取ります'),
      examples: [
        'GET /',
        'GET /status',
        'HEAD /files/a.tar.gz',
        'OPTIONS /api',
        'GET /search?q=sekisho&page=2',
      ],
    },
    {
      of: 'PUT|PATCH *',
      kind: 'change',
      says: text('changes something at {host}', '{host} の内容を変更します'),
      examples: ['PUT /notes/1 {"a":1}', 'PATCH /notes/1 {"a":1}'],
    },
    {
      of: 'DELETE *',
      kind: 'delete',
      says: text('deletes something at {host}', '{host} の内容を削除します'),
      examples: ['DELETE /notes/1'],
    },
    {
      of: 'POST *',
      kind: 'send',
      says: text('sends data to {host}', '{host} にデータを送ります'),
      examples: ['POST /notes {"a":1}', 'POST /graphql {"query":"{ a }"}'],
    },
  ],
};

/** A method of an extension, such as WebDAV, or of nobody. */
export const otherMethod: Row = {
  of: '* *',
  kind: 'send',
  says: text('sends {method} to {host}', '{host} に {method} を送ります'),
  examples: [],
};
