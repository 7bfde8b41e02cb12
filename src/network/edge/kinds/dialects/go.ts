import { text } from '../../../../contract/text/text.ts';
import type { Dialect } from '../dialect.ts';

/** Module proxies and the checksum database (go.dev/ref/mod#goproxy-protocol), which only answer. */
export const go: Dialect = {
  name: 'go',
  hosts: ['proxy.golang.org', 'sum.golang.org', 'index.golang.org', 'goproxy.io', 'goproxy.cn'],
  rows: [
    {
      of: 'GET|HEAD /{module...}/@v/{file}',
      kind: 'read',
      says: text('reads {file} of {module}', '{module} の {file} を読み取ります'),
      examples: ['GET /github.com/!azure/x/@v/v1.2.3.zip', 'GET /golang.org/x/mod/@v/list'],
    },
    {
      of: 'GET|HEAD /{module...}/@latest',
      kind: 'read',
      says: text('asks for the latest {module}', '{module} の最新版を問い合わせます'),
      examples: ['GET /golang.org/x/mod/@latest'],
    },
    {
      of: 'GET|HEAD /sumdb/{path...}',
      kind: 'read',
      says: text('verifies checksums', 'チェックサムを検証します'),
      examples: [
        'GET /sumdb/sum.golang.org/lookup/golang.org/x/mod@v0.1.0',
        'GET /sumdb/sum.golang.org/tile/8/0/x001/234',
      ],
    },
  ],
};
