import { text } from '../../../../contract/text/text.ts';
import { type Dialect, type Row, row } from '../dialect.ts';

/** A host whose dialect is not known, judged by the methods of HTTP (RFC 9110, 9.3). */
export const rest: Dialect = {
  name: 'rest',
  hosts: [],
  rows: [
    row.read('GET|HEAD|OPTIONS *', text('reads from {host}', '{host} から読み取ります')),
    row.change('PUT|PATCH *', text('changes something at {host}', '{host} の内容を変更します')),
    row.delete('DELETE *', text('deletes something at {host}', '{host} の内容を削除します')),
    row.send('POST *', text('sends data to {host}', '{host} にデータを送ります')),
  ],
};

/** A method of an extension, such as WebDAV, or of nobody. */
export const otherMethod: Row = row.send(
  '* *',
  text('sends {method} to {host}', '{host} に {method} を送ります'),
);
