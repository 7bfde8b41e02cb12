import { text } from '../../../../contract/text/text.ts';
import { type Dialect, row } from '../dialect.ts';

/** Module proxies and the checksum database (go.dev/ref/mod#goproxy-protocol), which only answer. */
export const go: Dialect = {
  name: 'go',
  hosts: ['proxy.golang.org', 'sum.golang.org', 'index.golang.org', 'goproxy.io', 'goproxy.cn'],
  rows: [
    row.read(
      'GET|HEAD /{module...}/@v/{file}',
      text('reads {file} of {module}', '{module} の {file} を読み取ります'),
    ),
    row.read(
      'GET|HEAD /{module...}/@latest',
      text('asks for the latest {module}', '{module} の最新版を問い合わせます'),
    ),
    row.read('GET|HEAD /sumdb/{path...}', text('verifies checksums', 'チェックサムを検証します')),
  ],
};
