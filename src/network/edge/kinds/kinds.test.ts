import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import type { EdgeRequest } from '../request.ts';
import { rest } from './dialects/rest.ts';
import { dialects, everywhere } from './dialects.ts';
import { judgeRequest } from './judge.ts';

/** `METHOD /target body`, or with a header on each line: `METHOD /target\nname: value\n\nbody`. */
function requestOf(example: string, host: string): EdgeRequest {
  const [, method = '', target = '', rest = ''] = /^(\S+) (\S+)([\s\S]*)$/.exec(example) ?? [];
  const [head = '', ...more] = rest.startsWith('\n') ? rest.slice(1).split('\n\n') : ['', rest.slice(1)];
  const body = Buffer.from(more.join('\n\n'));
  return {
    method,
    scheme: 'https',
    host,
    port: 443,
    target,
    headers: head === '' ? [] : head.split('\n').map((line) => line.split(': ') as [string, string]),
    bodyStart: body,
    bodyIsWhole: true,
    bodyBytes: body.length,
  };
}

test.each([...everywhere, ...dialects, rest])('each row of $name has requests that it is for', (dialect) => {
  const listed = examples[dialect.name] ?? [];
  expect(listed.map(([of]) => of)).toEqual(dialect.rows.map(({ of }) => of));
  const host = dialect.hosts[0]?.replace('*', 'a') ?? 'api.example.com';
  for (const [index, { kind }] of dialect.rows.entries()) {
    const [, ...given] = listed[index] ?? [''];
    expect(given).not.toEqual([]);
    for (const example of given)
      expect(judgeRequest(requestOf(example, host)), example).toMatchObject({ dialect: dialect.name, kind });
  }
});

test.each([
  ['registry.npmjs.org', '/left-pad', 'read'],
  ['registry.npmjs.org', '/@types%2fnode', 'read'],
  ['registry.npmjs.org', '/left-pad/-/left-pad-1.3.0.tgz', 'read'],
  [
    'files.pythonhosted.org',
    '/packages/0a/1b/60d2f5b1c6b0c1d3c1a9d0c64c8f06c0e9e0ab6f61c1f2d6a3ac01e84a2c/six-1.17.0.whl',
    'read',
  ],
  ['registry.npmjs.org', `/${'a-long-name-of-nothing-'.repeat(8)}`, 'send'],
  ['registry.npmjs.org', '/c2stbGl2ZS1hYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5eg', 'send'],
  ['pypi.org', '/simple/4a6f686e20446f65203132332d34352d36373839202020204a6f686e/', 'send'],
  ['index.crates.io', '/my/pa/mypassword-correcthorsebatterystaple-0xDEADBEEF-q8Zt7Lw2', 'send'],
] as const)('at %s the name of a package is one: %s is a %s', (host, target, kind) => {
  expect(judgeRequest(requestOf(`GET ${target}`, host)).kind).toBe(kind);
});

/** Requests that a row is for, in the order of its dialect's rows. */
type Examples = readonly (readonly [of: string, ...examples: readonly string[]])[];

function graphqlExamples(path: string): Examples {
  return [
    [
      `POST ${path}`,
      `POST ${path} {"query":"query { viewer { login } }"}`,
      `POST ${path} {"query":"fragment a on User { id } query b($x: Int = 1) { viewer { ...a } }","variables":{"x":1}}`,
      `POST ${path} {"query":"query a { b } mutation c { d }","operationName":"a"}`,
      `POST ${path} [{"query":"{ a }"},{"query":"# mutation { a }\\n{ b(c: \\"mutation { d }\\") }"}]`,
    ],
    [
      `POST ${path}`,
      `POST ${path} {"query":"mutation { createIssue(input: {}) { id } }"}`,
      `POST ${path} [{"query":"{ a }"},{"query":"mutation { b }"}]`,
      `POST ${path} {"query":"query a { b } mutation c { d }","operationName":"c"}`,
      `POST ${path} {"query":"query a { b } mutation a { d }","operationName":"a"}`,
    ],
    [
      `POST ${path}`,
      `POST ${path} {"extensions":{"persistedQuery":{"sha256Hash":"x"}}}`,
      `POST ${path} {"query":"{ a }","query":"mutation { b }"}`,
      `POST ${path} {"query":"{ a } }"}`,
      `POST ${path}?query=%7Ba%7D {"query":"{ a }"}`,
    ],
  ];
}

const examples: Readonly<Record<string, Examples>> = {
  websocket: [['GET|CONNECT *', 'GET /feed\nupgrade: websocket']],
  grpc: [['POST /{service}/{call}', 'POST /notes.v1.Notes/Put\ncontent-type: application/grpc']],
  graphql: [['GET|HEAD *?query', 'GET /graphql?query=mutation%7Bb%7D']],
  git: [
    [
      'GET /{repo...}/info/refs?service=git-upload-pack',
      'GET /ours/app.git/info/refs?service=git-upload-pack',
    ],
    [
      'GET /{repo...}/info/refs?service=git-receive-pack',
      'GET /ours/app.git/info/refs?service=git-receive-pack',
    ],
    [
      'POST /{repo...}/git-upload-pack',
      'POST /ours/app.git/git-upload-pack 0014command=ls-refs\n00010009peel\n0000',
    ],
    ['POST /{repo...}/git-receive-pack', 'POST /ours/app.git/git-receive-pack 0000'],
    [
      'POST /{repo...}/git-receive-pack',
      `POST /ours/app.git/git-receive-pack 0065${'1'.repeat(40)} ${'2'.repeat(40)} refs/heads/a\0 a0000PACK`,
    ],
    [
      'POST /{repo...}/info/lfs/objects/batch',
      `POST /ours/app.git/info/lfs/objects/batch {"operation":"download","objects":[{"oid":"${'a1'.repeat(32)}","size":5}]}`,
    ],
    [
      'POST /{repo...}/info/lfs/objects/batch',
      'POST /ours/app.git/info/lfs/objects/batch {"operation":"upload","objects":[]}',
    ],
    [
      'POST /{repo...}/info/lfs/locks/verify',
      'POST /ours/app.git/info/lfs/locks/verify {"ref":{"name":"refs/heads/main"}}',
    ],
    ['POST /{repo...}/info/lfs/locks', 'POST /ours/app.git/info/lfs/locks {"path":"a.bin"}'],
    [
      'POST /{repo...}/info/lfs/locks/{id}/unlock',
      'POST /ours/app.git/info/lfs/locks/7/unlock {"force":false}',
    ],
  ],
  npm: [
    [
      'POST /-/npm/v1/security/{question...}',
      'POST /-/npm/v1/security/advisories/bulk {"left-pad":["1.3.0"]}',
      'POST /-/npm/v1/security/audits {"requires":{"a":"^1.0.0"}}',
    ],
    [
      'PUT|DELETE|POST /-/package/{package}/dist-tags/{tag}',
      'PUT /-/package/left-pad/dist-tags/next "1.3.0"',
      'DELETE /-/package/@a%2fb/dist-tags/next',
    ],
    [
      'PUT|POST|DELETE /-/package/{package}/{right...}',
      'POST /-/package/@a%2fb/access {"access":"public"}',
      'PUT /-/package/@a%2fb/collaborators/eve {}',
    ],
    [
      'PUT|POST|DELETE|PATCH /-/{account...}',
      'PUT /-/user/org.couchdb.user:eve {"name":"eve"}',
      'POST /-/npm/v1/tokens {"readonly":false}',
      'DELETE /-/user/token/abc',
      'PUT /-/team/a/b/user {"user":"eve"}',
      'POST /-/v1/login {}',
    ],
    ['DELETE /{package}/-rev/{revision}', 'DELETE /left-pad/-rev/3-abc'],
    [
      'DELETE /{package}/-/{file...}',
      'DELETE /left-pad/-/left-pad-1.0.0.tgz/-rev/3-abc',
      'DELETE /@a/b/-/b-1.0.0.tgz/-rev/3-abc',
    ],
    ['PUT /{package}/-rev/{revision}', 'PUT /left-pad/-rev/3-abc {"versions":{}}'],
    ['PUT /{package}', 'PUT /left-pad {"_id":"left-pad","_rev":"3","users":{"eve":true}}'],
    [
      'PUT /{package}',
      'PUT /left-pad {"_id":"left-pad","versions":{"1.0.0":{}},"_attachments":{"a.tgz":{}}}',
      'PUT /@a%2fb {',
    ],
    ['GET|HEAD /{package}', 'GET /left-pad', 'GET /@a%2fb', 'GET /@a/b', 'GET /left-pad?write=true'],
    ['GET|HEAD /{package}/-/{file}', 'GET /left-pad/-/left-pad-1.3.0.tgz', 'GET /@a/b/-/b-1.0.0.tgz'],
  ],
  pypi: [
    ['GET|HEAD /simple/{project}/', 'GET /simple/requests/'],
    [
      'GET|HEAD /packages/{file...}',
      `GET /packages/ab/cd/${'0e'.repeat(30)}/requests-2.32.3-py3-none-any.whl`,
    ],
    ['GET|HEAD /pypi/{project...}/json', 'GET /pypi/requests/json', 'GET /pypi/requests/2.32.3/json'],
    ['POST *', 'POST /legacy/ x', 'POST /legacy/?:action=file_upload x'],
    ['POST /_/oidc/{token...}', 'POST /_/oidc/mint-token {"token":"x"}'],
  ],
  crates: [
    ['PUT /api/v1/crates/new', 'PUT /api/v1/crates/new x'],
    ['DELETE /api/v1/crates/{crate}/{version}/yank', 'DELETE /api/v1/crates/serde/1.0.0/yank'],
    ['PUT /api/v1/crates/{crate}/{version}/unyank', 'PUT /api/v1/crates/serde/1.0.0/unyank'],
    [
      'PUT|DELETE /api/v1/crates/{crate}/owners',
      'PUT /api/v1/crates/serde/owners {"users":["eve"]}',
      'DELETE /api/v1/crates/serde/owners {"users":["eve"]}',
    ],
    [
      'POST|PUT|DELETE /api/v1/{account...}',
      'PUT /api/v1/me/tokens {}',
      'POST /api/v1/trusted_publishing/tokens {}',
    ],
    ['GET|HEAD /api/v1/crates/{crate}/{version}/download', 'GET /api/v1/crates/serde/1.0.0/download'],
  ],
  go: [
    [
      'GET|HEAD /{module...}/@v/{file}',
      'GET /github.com/!azure/x/@v/v1.2.3.zip',
      'GET /golang.org/x/mod/@v/list',
    ],
    ['GET|HEAD /{module...}/@latest', 'GET /golang.org/x/mod/@latest'],
    [
      'GET|HEAD /sumdb/{path...}',
      'GET /sumdb/sum.golang.org/lookup/golang.org/x/mod@v0.1.0',
      'GET /sumdb/sum.golang.org/tile/8/0/x001/234',
    ],
  ],
  gems: [
    ['POST /api/v1/gems', 'POST /api/v1/gems x'],
    ['DELETE /api/v1/gems/yank', 'DELETE /api/v1/gems/yank gem_name=a&version=1.0.0'],
    [
      'POST|PATCH|PUT|DELETE /api/v1/gems/{gem}/owners',
      'POST /api/v1/gems/rails/owners email=eve@example.com',
      'DELETE /api/v1/gems/rails/owners email=a@b.example',
    ],
    ['GET|POST|PUT /api/v1/api_key', 'GET /api/v1/api_key', 'POST /api/v1/api_key name=x'],
    ['GET|HEAD /gems/{file}', 'GET /gems/rails-8.0.0.gem'],
    ['GET|HEAD /info/{gem}', 'GET /info/rails'],
  ],
  maven: [
    [
      'GET|HEAD /{path...}/{file}',
      'GET /maven2/org/slf4j/slf4j-api/2.0.9/slf4j-api-2.0.9.pom',
      'GET /m2/a/b/maven-metadata.xml.sha1',
    ],
    ['PUT /{path...}/{file}', 'PUT /maven2/a/b/1.0/b-1.0.jar x'],
    [
      'POST /api/v1/publish{path...}',
      'POST /api/v1/publisher/upload?publishingType=AUTOMATIC x',
      'POST /api/v1/publisher/deployment/7',
      'POST /api/v1/publish/versions/new {}',
    ],
    ['POST|PUT /service/local/{path...}', 'POST /service/local/staging/bulk/promote {}'],
  ],
  containers: [
    [
      'GET|HEAD /v2/{image...}/manifests/{reference}',
      'GET /v2/library/alpine/manifests/latest',
      'HEAD /v2/a/b/manifests/3.20',
    ],
    ['GET|HEAD /v2/{image...}/blobs/{digest}', `GET /v2/library/alpine/blobs/sha256:${'0e'.repeat(32)}`],
    [
      'POST /v2/{image...}/blobs/uploads/',
      'POST /v2/ours/app/blobs/uploads/',
      `POST /v2/ours/app/blobs/uploads/?mount=sha256:${'0e'.repeat(32)}&from=a`,
    ],
    [
      'PATCH|PUT /v2/{image...}/blobs/uploads/{upload}',
      'PATCH /v2/ours/app/blobs/uploads/7 x',
      `PUT /v2/ours/app/blobs/uploads/7?digest=sha256:${'0e'.repeat(32)}`,
    ],
    ['PUT /v2/{image...}/manifests/{reference}', 'PUT /v2/ours/app/manifests/latest {"schemaVersion":2}'],
    ['DELETE /v2/{image...}/blobs/uploads/{upload}', 'DELETE /v2/ours/app/blobs/uploads/7'],
    ['DELETE /v2/{image...}/manifests/{reference}', 'DELETE /v2/ours/app/manifests/latest'],
    ['DELETE /v2/{image...}/blobs/{digest}', `DELETE /v2/ours/app/blobs/sha256:${'0e'.repeat(32)}`],
    [
      'POST /{path...}',
      'POST /token\ncontent-type: application/x-www-form-urlencoded\n\ngrant_type=password&service=registry.docker.io&username=a&password=b',
    ],
  ],
  github: [
    ...graphqlExamples('/graphql'),
    [
      'POST|PUT|PATCH|DELETE /repos/{owner}/{repo}/{right...}',
      'PUT /repos/o/r/collaborators/eve {}',
      'POST /repos/o/r/keys {"key":"ssh-ed25519 x"}',
      'DELETE /repos/o/r/branches/main/protection',
      'PUT /repos/o/r/actions/secrets/A {}',
      'POST /repos/o/r/transfer {}',
    ],
    [
      'POST|PUT|PATCH|DELETE /{scope}/{right...}',
      'POST /user/keys {"key":"x"}',
      'PUT /orgs/o/memberships/eve {"role":"admin"}',
      'PUT /teams/7/members/eve',
    ],
    ['PATCH /repos/{owner}/{repo}', 'PATCH /repos/o/r {"private":false}'],
    ['POST /gists', 'POST /gists {"files":{}}'],
    ['POST /repos/{owner}/{repo}/releases', 'POST /repos/o/r/releases {"tag_name":"v1"}'],
    [
      'POST /repos/{owner}/{repo}/releases/{release}/assets',
      'POST /repos/o/r/releases/7/assets?name=a.zip x',
    ],
    ['PUT /repos/{owner}/{repo}/pulls/{number}/merge', 'PUT /repos/o/r/pulls/7/merge {}'],
    [
      'POST /repos/{owner}/{repo}/{what}',
      'POST /repos/o/r/issues {"title":"x"}',
      'POST /repos/o/r/pulls {"title":"x"}',
    ],
    ['POST /repos/{owner}/{repo}/issues/{number}/comments', 'POST /repos/o/r/issues/7/comments {"body":"x"}'],
    ['DELETE /repos/{owner}/{repo}', 'DELETE /repos/o/r'],
  ],
  gitlab: [
    ...graphqlExamples('/api/graphql'),
    [
      'POST|PUT|PATCH|DELETE /api/v4/{scope}/{right...}',
      'POST /api/v4/projects/o%2Fr/members {"user_id":7}',
      'DELETE /api/v4/projects/7/protected_branches/main',
      'POST /api/v4/user/keys {"key":"x"}',
    ],
    ['POST /api/v4/projects/{project}/releases', 'POST /api/v4/projects/o%2Fr/releases {"tag_name":"v1"}'],
    [
      'POST|PUT /api/v4/projects/{project}/packages/{package...}',
      'PUT /api/v4/projects/7/packages/generic/a/1.0/a.zip x',
      'POST /api/v4/projects/7/packages/pypi x',
    ],
    ['POST /api/v4/snippets', 'POST /api/v4/snippets {"title":"x"}'],
    [
      'PUT /api/v4/projects/{project}/merge_requests/{number}/merge',
      'PUT /api/v4/projects/o%2Fr/merge_requests/7/merge {}',
    ],
    ['POST /api/v4/projects/{project}/{what...}', 'POST /api/v4/projects/o%2Fr/issues {"title":"x"}'],
    ['DELETE /api/v4/projects/{project}', 'DELETE /api/v4/projects/o%2Fr'],
  ],
  s3: [
    [
      'POST *',
      'POST /\ncontent-type: application/x-www-form-urlencoded\n\nAction=GetCallerIdentity&Version=2011-06-15',
      'POST /\ncontent-type: application/x-amz-json-1.0\nx-amz-target: DynamoDB_20120810.DescribeTable\n\n{"TableName":"a"}',
    ],
    [
      'GET|HEAD|POST *',
      'POST /\ncontent-type: application/x-amz-json-1.0\nx-amz-target: DynamoDB_20120810.PutItem\n\n{}',
      'POST /\ncontent-type: application/x-www-form-urlencoded\n\nAction=RunInstances',
      'GET /7/queue?Action=SendMessage&MessageBody=x',
      'POST /\ncontent-type: application/x-www-form-urlencoded\nx-amz-target: A.GetUser\n\nAction=AttachUser',
    ],
    ['PUT|DELETE *', 'PUT /?policy {}', 'PUT /bucket/key?acl', 'DELETE /bucket?publicAccessBlock'],
    ['POST *?delete', 'POST /bucket?delete <Delete/>', 'POST /?delete= <Delete/>'],
    ['DELETE *?uploadId', 'DELETE /bucket/key?uploadId=7'],
    ['DELETE *', 'DELETE /bucket/key'],
    ['PUT *', 'PUT /bucket/key\nx-amz-copy-source: /other/key'],
    [
      'PUT|POST *',
      'PUT /bucket/key x',
      'POST /bucket/key?uploads',
      'POST /bucket/key?uploadId=7 <a/>',
      'PUT /bucket/key?partNumber=1&uploadId=7 x',
    ],
    [
      'GET|HEAD *',
      'GET /bucket/key',
      'GET /bucket?list-type=2&prefix=a%2Fb',
      `GET /bucket/key?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIA${'A'.repeat(16)}%2F20261129%2Feu-west-1%2Fs3%2Faws4_request&X-Amz-Date=20261129T120000Z&X-Amz-Expires=3600&X-Amz-SignedHeaders=host&X-Amz-Signature=${'0e'.repeat(32)}`,
    ],
  ],
  chat: [
    ['GET /bot{token}/{call}', 'GET /bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1/getMe'],
    [
      'GET|POST /bot{token}/{call}',
      'GET /bot1:a/sendMessage?chat_id=7&text=x',
      'POST /bot1:a/sendMessage {}',
    ],
    ['GET /api/{call}', 'GET /api/conversations.list?limit=100'],
    ['GET|POST /api/{call}', 'GET /api/chat.postMessage?channel=a&text=x'],
  ],
  'json-rpc': [
    [
      'POST *',
      'POST /mcp {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"put"}}',
      'POST / [{"jsonrpc":"2.0","method":"a"}]',
    ],
  ],
  rest: [
    [
      'GET|HEAD|OPTIONS *',
      'GET /',
      'GET /status',
      'HEAD /files/a.tar.gz',
      'OPTIONS /api',
      'GET /search?q=sekisho&page=2',
    ],
    ['PUT|PATCH *', 'PUT /notes/1 {"a":1}', 'PATCH /notes/1 {"a":1}'],
    ['DELETE *', 'DELETE /notes/1'],
    ['POST *', 'POST /notes {"a":1}', 'POST /graphql {"query":"{ a }"}'],
  ],
};
