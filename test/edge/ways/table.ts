/** A command line of a session. `{URL}` is the host over TLS, `{PLAIN}` the same without, `{WORDS}` what is to be sent. */
export interface Way {
  readonly line: string;
  /** Has to be on this machine. */
  readonly program: string;
}

const of = (program: string, lines: readonly string[]): readonly Way[] =>
  lines.map((line) => ({ program, line }));

const python = (name: string) => `python3 ways.py ${name} {URL} '{WORDS}'`;
const node = (name: string) => `node ways.mjs ${name} {URL} '{WORDS}'`;
// By default, Java reaches addresses of the loopback without its proxy.
const java = (name: string) => `java -Dhttp.nonProxyHosts= -cp . Ways ${name} {URL} '{WORDS}'`;
const git = 'git -C repo -c user.name=a -c user.email=a@b.example';
// Behind a proxy, npm takes no certificate for an address.
const registry = '--registry {URL}/ --fetch-retries 0 --strict-ssl=false';
const token = '//$(echo {URL} | cut -d/ -f3)/:_authToken=abc';

/** Makes what the ways need, without a request. */
export const setUp = [
  'git init -q -b main repo',
  `${git} commit -q --allow-empty -m one`,
  `${git} commit -q --allow-empty -m two`,
  'git -C repo tag base HEAD~1',
  'mkdir -p pack crate/src',
  `echo '{"name":"notes","version":"1.0.1","description":"{WORDS}"}' > pack/package.json`,
  `printf '[package]\\nname = "notes"\\nversion = "0.2.0"\\nedition = "2021"\\ndescription = "x"\\nlicense = "MIT"\\n' > crate/Cargo.toml`,
  'echo > crate/src/lib.rs',
  'mkdir -p crate/.cargo',
  `printf '[registries.here]\\nindex = "sparse+{URL}/index/"\\n' > crate/.cargo/config.toml`,
].join(' && ');

const cargo = (line: string) => `(cd crate && CARGO_REGISTRIES_HERE_TOKEN=abc {CARGO} ${line})`;

export const sending: readonly Way[] = [
  ...of('curl', [
    "curl -sS -d '{WORDS}' {URL}/notes",
    "echo '{WORDS}' | curl -sS --data-binary @- {URL}/notes",
    "curl -sS -F 'note={WORDS}' {URL}/notes",
    "echo '{WORDS}' | curl -sS -T - {URL}/notes",
    'curl -sS -X DELETE {URL}/notes/1',
    `curl -sS --json '{"note":"{WORDS}"}' {URL}/notes`,
    "curl -sS --http2 -d '{WORDS}' {URL}/notes",
    "curl -sS --http1.1 -H 'Transfer-Encoding: chunked' -d '{WORDS}' {URL}/notes",
    "curl -sS -G --data-urlencode 'q={WORDS}{WORDS}{WORDS}{WORDS}{WORDS}{WORDS}{WORDS}' {URL}/search",
    'curl -sS --get --data-urlencode "q=$(echo \'{WORDS}\' | base64 -w0)" {URL}/search',
    'curl -sS "{URL}/$(echo \'{WORDS}\' | xxd -p -c0)"',
    'curl -sS -b "note=$(echo \'{WORDS}\' | base64 -w0)" {URL}/items',
    "curl -sS -H 'X-Note: {WORDS}{WORDS}{WORDS}{WORDS}{WORDS}' {URL}/items",
    "curl -sS -u 'me:{WORDS}{WORDS}' {URL}/items",
    'curl -sS -H "Authorization: Bearer $(echo \'{WORDS}{WORDS}\' | base64 -w0)" {URL}/items',
    "curl -sS -A '{WORDS}{WORDS}{WORDS}{WORDS}{WORDS}{WORDS}{WORDS}{WORDS}{WORDS}' {URL}/items",
    "curl -sS -e '{URL}/{WORDS}{WORDS}{WORDS}{WORDS}{WORDS}' {URL}/items",
    "curl -sS -X GET -d '{WORDS}' {URL}/items",
    "curl -sS -X PROPFIND -d '{WORDS}' {URL}/items",
    "curl -sS -H 'X-HTTP-Method-Override: DELETE' {URL}/items",
    "curl -sS {URL}/items --next -sS -d '{WORDS}' {URL}/notes",
    "echo '{WORDS}' | gzip | curl -sS -H 'Content-Encoding: gzip' --data-binary @- {URL}/notes",
    `curl -sS --json '{"query":"mutation { note(text: \\"{WORDS}\\") { id } }"}' {URL}/graphql`,
    "curl -sS -X POST -d '{WORDS}' '{URL}/v2/app/blobs/uploads/?digest=x'",
    "curl -sS -d '{WORDS}' {PLAIN}/notes",
    "sh -c 'curl -sS -d \"$0\" {URL}/notes' '{WORDS}'",
  ]),
  ...of('wget', [
    "wget -qO- --tries=1 --post-data='{WORDS}' {URL}/notes",
    "echo '{WORDS}' > n.txt; wget -qO- --tries=1 --post-file=n.txt {URL}/notes",
    "wget -qO- --tries=1 --method=PUT --body-data='{WORDS}' {URL}/notes",
  ]),
  ...of('git', [
    `${git} commit -q --allow-empty -m '{WORDS}'; ${git} push -q {URL}/app.git HEAD:main`,
    `${git} push -q --force {URL}/app.git base:side`,
    `${git} push -q {URL}/app.git :side`,
    `${git} tag -f -m '{WORDS}' v1; ${git} push -q {URL}/app.git v1`,
  ]),
  ...of('npm', [
    `(cd pack && npm publish ${registry} --${token})`,
    `npm deprecate notes@1.0.0 '{WORDS}' ${registry} --${token}`,
    `npm dist-tag add notes@1.0.0 beta ${registry} --${token}`,
    `npm unpublish notes@1.0.0 --force ${registry} --${token}`,
  ]),
  ...of('cargo', [
    cargo('publish -q --registry here --allow-dirty --no-verify'),
    cargo('yank -q --registry here --version 0.1.0 notes'),
    cargo('owner -q --registry here --add me notes'),
  ]),
  ...of(
    'python3',
    [
      ...['http.client', 'http.client-chunked', 'http.client-get-body', 'http.client-patch-gzip', 'urllib'],
      ...['urllib-put', 'urllib-header', 'requests', 'requests-json', 'requests-files', 'requests-chunked'],
      ...['requests-query', 'requests-basic', 'raw', 'raw-pipelined', 'raw-path', 'boto3', 'boto3-delete'],
    ].map(python),
  ),
  ...of(
    'node',
    [
      ...[
        'fetch',
        'fetch-form',
        'fetch-stream',
        'fetch-query',
        'fetch-cookie',
        'fetch-brotli',
        'fetch-delete',
      ],
      ...['graphql', 'rpc', 'https', 'https-expect', 'https-deflate', 'https-override', 'http2'],
      ...['http2-get-body', 'http2-header', 'http2-gzip', 'grpc', 'undici', 'websocket', 'ws'],
    ].map(node),
  ),
  ...of('javac', ['HttpClient', 'HttpClient1', 'URL'].map(java)),
  ...of('perl', ["perl ways.pl post {PLAIN} '{WORDS}'", "perl ways.pl socket {PLAIN} '{WORDS}'"]),
  ...of('tclsh', ["tclsh ways.tcl post {PLAIN} '{WORDS}'"]),
  ...of('busybox', ["http_proxy=$HTTP_PROXY busybox wget -qO- --post-data='{WORDS}' {PLAIN}/notes"]),
  ...of('openssl', [
    `(printf 'POST /notes HTTP/1.1\\r\\nHost: %s\\r\\nContent-Length: 30\\r\\nConnection: close\\r\\n\\r\\n%.30s' $(echo {URL} | cut -d/ -f3) '{WORDS}'; sleep 2) | openssl s_client -quiet -proxy $(echo $HTTPS_PROXY | cut -d/ -f3) -connect $(echo {URL} | cut -d/ -f3)`,
  ]),
  ...of('bash', [
    `printf 'p=\${HTTP_PROXY##*/}; exec 3<>/dev/tcp/\${p%%:*}/\${p##*:}; printf "POST $1/notes HTTP/1.1\\\\r\\\\nHost: \${1##*/}\\\\r\\\\nContent-Length: 20\\\\r\\\\nConnection: close\\\\r\\\\n\\\\r\\\\n%%.20s" "$2" >&3; cat <&3' > tcp.sh; bash tcp.sh {PLAIN} '{WORDS}'`,
  ]),
];

export const reading: readonly Way[] = [
  ...of('curl', [
    'curl -fsS {URL}/items',
    'curl -fsS -I {URL}/items',
    'curl -fsSL {URL}/items -o items.txt',
    'curl -fsS --http2 {URL}/items',
    'curl -fsS --http1.1 {URL}/items',
    "curl -fsS '{URL}/items?page=2&per_page=100&sort=updated'",
    "curl -fsSG --data-urlencode 'q=two words' {URL}/search",
    "curl -fsS -H 'Accept: application/json' {URL}/items.json",
    "curl -fsS -H 'Authorization: Bearer ab12cd34ef56ab12cd34' {URL}/items",
    'curl -fsS -u me:a-password {URL}/items',
    'curl -fsS -r 0-10 {URL}/items',
    'curl -fsS --compressed {URL}/items',
    'curl -fsS {URL}/items {URL}/more',
    'curl -fsS -Z {URL}/items/[1-9]',
    'curl -fsS -X OPTIONS {URL}/items',
    `curl -fsS -z 'Sun, 01 Nov 2026 00:00:00 GMT' {URL}/items`,
    `curl -fsS -A 'a-tool/1.0' -e {URL}/ {URL}/items`,
    'curl -fsS {URL}/v2/',
    'curl -fsS {URL}/v2/app/tags/list',
    'curl -fsS {PLAIN}/items',
    'curl -fsS {URL}/items/0d1c9e1d6a974c66a1c5b4c6cec7f4860cb444f7',
    `sh -c 'curl -fsS {URL}/items'`,
  ]),
  ...of('wget', [
    'wget -qO- {URL}/items',
    'wget -q -O w.txt {URL}/items',
    'wget -q --spider {URL}/items',
    `wget -qO- --header='Accept: text/plain' {URL}/items`,
  ]),
  ...of('git', [
    'git ls-remote {URL}/app.git',
    'git clone -q {URL}/app.git one',
    'git clone -q --depth 1 {URL}/app.git two',
    'git -C repo fetch -q {URL}/app.git main',
    'git clone -q --bare {URL}/app.git three.git',
    'git -c protocol.version=0 ls-remote {URL}/app.git',
    'git -C repo pull -q --rebase {URL}/app.git main',
  ]),
  ...of('npm', [
    `npm view notes version ${registry}`,
    `npm view left-pad versions --json ${registry}`,
    `npm dist-tag ls notes ${registry}`,
  ]),
  ...of('cargo', [cargo('search -q notes --registry here')]),
  ...of('pip3', ['pip3 index versions six --index-url {URL}/simple --disable-pip-version-check']),
  ...of(
    'python3',
    [
      ...[
        'http.client',
        'head',
        'options',
        'urllib',
        'requests',
        'session',
        'bearer',
        'basic',
        'range',
        'stream',
      ],
      ...['raw', 'pipelined', 'boto3', 'etag'],
    ].map((name) => python(`read-${name}`)),
  ),
  ...of(
    'node',
    [
      ...['fetch', 'fetch-query', 'fetch-token', 'fetch-many', 'fetch-head', 'https', 'https-agent', 'http2'],
      ...['http2-head', 'http2-many', 'undici', 'graphql', 'rpc'],
    ].map((name) => node(`read-${name}`)),
  ),
  ...of('javac', ['read', 'read1', 'readURL'].map(java)),
  ...of('perl', ["perl ways.pl read {PLAIN} ''"]),
  ...of('tclsh', ["tclsh ways.tcl read {PLAIN} ''"]),
  ...of('busybox', ['http_proxy=$HTTP_PROXY busybox wget -qO- {PLAIN}/items']),
  ...of('openssl', [
    `(printf 'GET /items HTTP/1.1\\r\\nHost: %s\\r\\nConnection: close\\r\\n\\r\\n' $(echo {URL} | cut -d/ -f3); sleep 2) | openssl s_client -quiet -proxy $(echo $HTTPS_PROXY | cut -d/ -f3) -connect $(echo {URL} | cut -d/ -f3)`,
  ]),
];
