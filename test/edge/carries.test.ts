/**
 * Real programs that carry a credential which they only have a stand-in of, in each way that they have, to a host over TLS
 * that checks the true one. `npx vitest run --project slow test/edge/carries`.
 */
import { execFileSync } from 'node:child_process';
import dns from 'node:dns/promises';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createSecureContext, type SecureContext } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createAuthority } from '../../src/network/edge/authority.ts';
import { startPostgres } from '../store/postgres-server.ts';
import { needs, programs, sandbox } from '../support/needs.ts';
import { openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';
import { type Headers, type Key, whyRefused } from './aws.ts';
import { gitBackend } from './git-backend.ts';

const host = '127.0.0.2';
/** Programs in Go ask no proxy for an address of the loopback, but for a name that leads there. */
const named = 'here.test';
const pair = { id: 'AKIAQWERTYUIOPASDFGH', secret: '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' };
const canary = 'npm_Kq7LmNo5pQr6StU8vWx9yZaB1cD2eF3gH4i';

const Java = `import java.net.*; import java.net.http.*;
public class Carry { public static void main(String[] given) throws Exception {
  String token = System.getenv("KEY_TOKEN");
  if (given[0].equals("url")) {
    var connection = (HttpURLConnection) new URL(given[1] + "/java").openConnection();
    connection.setRequestProperty("Authorization", "Bearer " + token);
    System.out.println(new String(connection.getInputStream().readAllBytes())); return; }
  var client = HttpClient.newBuilder().version(HttpClient.Version.valueOf(given[0])).build();
  var request = HttpRequest.newBuilder(URI.create(given[1] + "/java")).header("Authorization", "Bearer " + token).build();
  System.out.println(client.send(request, HttpResponse.BodyHandlers.ofString()).body()); } }`;

const Go = `package main
import ("fmt"; "io"; "net/http"; "os")
func main() {
  request, _ := http.NewRequest("GET", os.Args[1]+"/go", nil)
  request.Header.Set("Authorization", "Bearer "+os.Getenv("KEY_TOKEN"))
  answer, err := http.DefaultClient.Do(request)
  if err != nil || answer.StatusCode != 200 { fmt.Println(answer, err); os.Exit(1) }
  words, _ := io.ReadAll(answer.Body); fmt.Println(answer.Proto, string(words))
}`;

const Grpc = `import grpc, os, sys
channel = grpc.secure_channel(sys.argv[1], grpc.ssl_channel_credentials())
print(channel.unary_unary("/notes.Notes/Echo")(b"", metadata=[("authorization", "Bearer " + os.environ["KEY_TOKEN"])], timeout=20))`;

const Gradle = `apply plugin: 'ivy-publish'
group = 'ours'; version = '1.0'
def place = { url System.getenv('PLACE'); credentials { username 'me'; password System.getenv('KEY_TOKEN') } }
repositories { maven(place) }
configurations { got }
dependencies { got 'ours:parent:1.0@pom' }
task fetch { doLast { println configurations.got.files } }
publishing { publications { one(IvyPublication) { artifact file('notes.txt') } }; repositories { ivy(place) } }`;

const pom = (more: string) =>
  `<project><modelVersion>4.0.0</modelVersion>${more}<packaging>pom</packaging></project>`;
const parent = '<groupId>ours</groupId><artifactId>parent</artifactId><version>1.0</version>';

const files: Readonly<Record<string, string>> = {
  'Carry.java': Java,
  'pack/package.json': '{"name":"notes","version":"1.0.1"}',
  'other/package.json': '{"name":"other","version":"1.0.1"}',
  'sdist.py': `import io, tarfile
words = b"Metadata-Version: 2.1\\nName: notes\\nVersion: 1.0\\n"
with tarfile.open("notes-1.0.tar.gz", "w:gz") as packed:
  info = tarfile.TarInfo("notes-1.0/PKG-INFO"); info.size = len(words)
  packed.addfile(info, io.BytesIO(words))
`,
  'Carry.go': Go,
  'call.py': Grpc,
  'gradle/build.gradle': Gradle,
  'gradle/settings.gradle': '',
  'gradle/notes.txt': 'words',
  'maven/pom.xml': pom(`<parent>${parent}<relativePath/></parent><artifactId>b</artifactId>`),
  'maven/settings.xml':
    '<settings><servers><server><id>here</id><username>me</username><password>${env.KEY_TOKEN}</password></server></servers><profiles><profile><id>p</id><repositories><repository><id>here</id><url>${env.PLACE}</url></repository></repositories></profile></profiles><activeProfiles><activeProfile>p</activeProfile></activeProfiles></settings>',
  'large.txt': 'words '.repeat(20_000),
  'crate/Cargo.toml': '[package]\nname = "notes"\nversion = "0.2.0"\nedition = "2021"\n',
  'crate/src/lib.rs': '',
  'netrc.sh': 'printf "machine 127.0.0.2 login me password %s\\n" "$KEY_TOKEN" > "$HOME/.netrc"',
  'https.mjs': `import { Agent, get } from 'node:https';
get(process.argv[2] + '/https', { headers: { authorization: 'Bearer ' + process.env.KEY_TOKEN } }, (answer) => answer.pipe(process.stdout));`,
};

/** `{URL}`, `{HOST}` and `{CARGO}` are put in; the exit code must be 0 and the host must take the login. */
const ways: readonly (readonly [program: string, line: string])[] = [
  ['curl', 'curl -sSf -H "Authorization: Bearer $KEY_TOKEN" {URL}/a'],
  ['curl', 'curl -sSf --http1.1 -H "Authorization: token $KEY_TOKEN" {URL}/a'],
  ['curl', 'curl -sSf --oauth2-bearer "$KEY_TOKEN" {URL}/a'],
  ['curl', 'curl -sSf -u "me:$KEY_TOKEN" {URL}/a'],
  ['curl', 'sh netrc.sh; curl -sSf -n {URL}/a'],
  ['curl', 'curl -sSf "https://me:$KEY_TOKEN@{HOST}/a"'],
  ['curl', 'curl -sSf -H "X-Api-Key: $KEY_TOKEN" {URL}/a'],
  ['curl', 'curl -sSf "{URL}/a?key=$KEY_TOKEN"'],
  ['wget', 'wget -qO- --header "Authorization: Bearer $KEY_TOKEN" {URL}/a'],
  ['wget', 'wget -qO- --auth-no-challenge --user me --password "$KEY_TOKEN" {URL}/a'],
  ['git', 'git clone -q {URL}/git/app.git one'],
  ['git', 'git clone -q https://me:$KEY_TOKEN@{HOST}/git/app.git two'],
  ['git', 'git -c http.extraHeader="Authorization: Bearer $KEY_TOKEN" ls-remote {URL}/git/app.git'],
  [
    'git',
    'git clone -q {URL}/git/app.git three && cd three && git -c user.name=a -c user.email=a@b.example commit -q --allow-empty -m two && git push -q origin HEAD:side',
  ],
  ['npm', 'npm whoami --registry {URL}/ --strict-ssl=false --//{HOST}/:_authToken=$KEY_TOKEN'],
  [
    'npm',
    "cd pack && echo '//{HOST}/:_authToken=${KEY_TOKEN}' > .npmrc && npm publish --registry {URL}/ --strict-ssl=false --fetch-retries 0",
  ],
  // By the file of the home folder alone.
  ['npm', 'cd other && npm publish --registry {URL}/ --strict-ssl=false --fetch-retries 0'],
  [
    'twine',
    'python3 sdist.py && twine upload --non-interactive --disable-progress-bar --repository-url {URL}/legacy/ -u __token__ -p "$KEY_TOKEN" notes-1.0.tar.gz',
  ],
  [
    'twine',
    `/usr/bin/python3 -c 'import os, requests; requests.get("{URL}/a", headers={"X-Api-Key": os.environ["KEY_TOKEN"]}).raise_for_status()'`,
  ],
  ['aws', 'aws {AWS} s3api list-objects-v2 --bucket bucket --prefix "a b/é+"'],
  ['aws', 'aws {AWS} s3 cp large.txt "s3://bucket/a b+é.txt"'],
  ['aws', 'aws {AWS} dynamodb list-tables'],
  [
    'cargo',
    'cd crate && CARGO_REGISTRIES_HERE_INDEX=sparse+{URL}/index/ CARGO_REGISTRIES_HERE_TOKEN=$KEY_TOKEN {CARGO} yank -q --registry here --version 0.1.0 notes',
  ],
  [
    'cargo',
    'cd crate && CARGO_REGISTRIES_HERE_INDEX=sparse+{URL}/index/ CARGO_REGISTRIES_HERE_TOKEN=$KEY_TOKEN {CARGO} publish -q --registry here --allow-dirty --no-verify',
  ],
  [
    'python3',
    `python3 -c 'import os, urllib.request as u; print(u.urlopen(u.Request("{URL}/a", headers={"Authorization": "Bearer " + os.environ["KEY_TOKEN"]})).read())'`,
  ],
  [
    'node',
    `node -e 'fetch("{URL}/a", {headers: {authorization: "Bearer " + process.env.KEY_TOKEN}}).then((a) => process.exit(a.ok ? 0 : 1))'`,
  ],
  ['node', 'node https.mjs {URL}'],
  [
    'aws',
    'env -u AWS_ACCESS_KEY_ID -u AWS_SECRET_ACCESS_KEY aws {AWS} s3api list-objects-v2 --bucket bucket',
  ],
  ['gh', 'GH_ENTERPRISE_TOKEN=$KEY_TOKEN GH_HOST={NAMED} gh api user'],
  ['gh', 'GH_ENTERPRISE_TOKEN=$KEY_TOKEN GH_HOST={NAMED} gh api repos/ours/notes/issues -f title=words'],
  [
    'gh',
    'export GH_ENTERPRISE_TOKEN="$(unset GH_TOKEN; gh auth token --hostname github.com)"; GH_HOST={NAMED} gh api user',
  ],
  ['go', './carry https://{NAMED}'],
  ['go', 'GODEBUG=http2client=0 ./carry https://{NAMED}'],
  ['grpc', '/usr/bin/python3 call.py {NAMED}'],
  ['grpc', '/usr/bin/python3 call.py {HOST}'],
  ['gradle', 'cd gradle && PLACE=https://{NAMED}/maven gradle --no-daemon -q fetch'],
  ['gradle', 'cd gradle && PLACE=https://{NAMED}/maven gradle --no-daemon -q publish'],
  ['mvn', 'cd maven && PLACE=https://{NAMED}/maven mvn -q -s settings.xml validate'],
  ['javac', 'java -Dhttp.nonProxyHosts= -cp . Carry HTTP_2 {URL}'],
  ['javac', 'java -Dhttp.nonProxyHosts= -cp . Carry HTTP_1_1 {URL}'],
  ['javac', 'java -Dhttp.nonProxyHosts= -cp . Carry url {URL}'],
];

describe('A program that carries a stand-in', needs(sandbox('bubblewrap')), () => {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-carries-'));
  let world: Awaited<ReturnType<typeof openTestCheckpoint>>;
  let closeOrigin = () => {};
  let names: Readonly<Record<string, string>> = {};
  let taken = 0;
  let isPublished = false;

  beforeAll(async () => {
    mkdirSync(join(folder, 'git'));
    const bare = join(folder, 'git/app.git');
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', bare]);
    const { certificate, credentialsFor } = createAuthority();
    writeFileSync(join(folder, 'its.pem'), certificate);
    vi.stubEnv('SSL_CERT_FILE', join(folder, 'its.pem'));
    const { lookup } = dns;
    vi.spyOn(dns, 'lookup').mockImplementation(((name: string, options: object) =>
      lookup(name === named ? host : name, options)) as never);
    const SNICallback = (name: string, done: (error: null, context: SecureContext) => void) =>
      done(null, createSecureContext(credentialsFor(name)));
    const origin = createSecureServer({ ...credentialsFor(host), SNICallback, allowHTTP1: true }, (async (
      request: IncomingMessage,
      response: ServerResponse,
    ) => {
      const body = await buffer(request).catch(() => Buffer.alloc(0));
      if (!holdsCanary(request) && !isSignedBy(pair, request, body)) {
        response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="here"' }).end();
        return;
      }
      taken += 1;
      isPublished ||= request.url === '/api/v1/crates/new';
      if (request.url?.startsWith('/git/')) {
        const url = request.url.slice('/git'.length);
        await gitBackend(
          join(folder, 'git'),
          Object.assign(Object.create(request), { url }),
          response,
          Readable.from([body]),
        );
        return;
      }
      if (request.headers['content-type'] === 'application/grpc') {
        response.setHeader('Content-Type', 'application/grpc');
        response.addTrailers({ 'grpc-status': '0' });
        response.end(Buffer.alloc(5));
        return;
      }
      // A repository of Maven.
      if (request.url?.startsWith('/maven/') && request.method === 'GET') {
        response.writeHead(/\/parent-1\.0\.pom$/.test(request.url) ? 200 : 404).end(pom(parent));
        return;
      }
      response.setHeader('Content-Type', 'application/json');
      response.end(answerTo(request.url ?? '', names.URL ?? '', isPublished));
    }) as never);
    await new Promise<void>((resolve) => origin.listen(0, host, resolve));
    const { port } = origin.address() as AddressInfo;
    closeOrigin = () => void origin.close();
    names = {
      AWS: `--region eu-west-1 --endpoint-url https://${host}:${port}`,
      URL: `https://${host}:${port}`,
      HOST: `${host}:${port}`,
      NAMED: `${named}:${port}`,
      CARGO: cargo(),
    };
    world = await openTestCheckpoint({
      files,
      flags: { profile: 'coding' },
      environment: { THE_KEY: canary, THE_PAIR: `${pair.id}:${pair.secret}` },
      config: {
        process: {
          readable: [/^PATH=(.+)\/bin:/.exec(names.CARGO ?? '')?.[1] ?? []].flat(),
          network: [`${host}:${port}`, `${named}:${port}`, 'api.github.com'],
        },
        secrets: {
          key: {
            hosts: [`${host}:${port}`, `${named}:${port}`, 'api.github.com'],
            as: ['bearer', 'basic', 'header:X-Api-Key', 'query:key'],
            from: { env: 'THE_KEY' },
          },
          aws: { hosts: [`${host}:${port}`], as: 'sigv4', from: { env: 'THE_PAIR' } },
        },
      },
      options: {
        environment: { ...process.env, THE_KEY: canary, THE_PAIR: `${pair.id}:${pair.secret}` },
      },
    });
    if (!programs('go'))
      execFileSync('go', ['build', '-o', 'carry', 'Carry.go'], {
        cwd: world.root,
        // Its kept packages are in the person's own home folder.
        env: { ...process.env, CGO_ENABLED: '0', GOCACHE: join(userInfo().homedir, '.cache/go-build') },
      });
    if (!programs('javac')) execFileSync('javac', ['Carry.java'], { cwd: world.root });
    execFileSync('git', ['clone', '-q', bare, join(folder, 'seed')], { stdio: 'ignore' });
    const me = ['-C', join(folder, 'seed'), '-c', 'user.name=a', '-c', 'user.email=a@b.example'];
    execFileSync('git', [...me, 'commit', '-q', '--allow-empty', '-m', 'one']);
    execFileSync('git', [...me, 'push', '-q', 'origin', 'HEAD:main']);
  }, 300_000);
  afterAll(async () => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    await world.close();
    closeOrigin();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [program, line] of ways)
    test(line, { ...needs(program === 'grpc' ? grpc() : programs(program)), timeout: 90_000 }, async () => {
      const command = Object.entries(names).reduce(
        (all, [name, value]) => all.replaceAll(`{${name}}`, value),
        line,
      );
      taken = 0;
      const elicit = async () => ({ action: 'accept' as const });
      const output = outputOf(
        await world.call('bash', { command: `(${command})`, timeout_seconds: 120 }, { elicit }),
      );
      expect(output, JSON.stringify(output)).toMatchObject({ exit_code: 0 });
      expect(taken).toBeGreaterThan(0);
      for (const secret of [canary, pair.secret]) expect(JSON.stringify(output)).not.toContain(secret);
    });
});

/** Debian's, which its own Python finds. */
function grpc() {
  return existsSync('/usr/lib/python3/dist-packages/grpc') ? undefined : 'no python3-grpcio';
}

describe('A database', needs(sandbox('bubblewrap'), programs('psql')), () => {
  test('takes no stand-in for a password that it never gets, and a password of its own user', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sekisho-hba-'));
    chmodSync(folder, 0o755);
    const login = 'host all few 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n';
    writeFileSync(join(folder, 'hba.conf'), login);
    const server = await startPostgres(['fsync=off', `hba_file=${join(folder, 'hba.conf')}`]);
    if ('missing' in server) throw new Error(server.missing);
    await server.query(`create role few login password '${canary}'`);
    const place = `127.0.0.1:${new URL(await server.createDatabase()).port}`;
    const environment = { THE_KEY: canary, PGPASSWORD: canary };
    await using world = await openTestCheckpoint({
      flags: { profile: 'coding' },
      environment,
      config: {
        process: { network: [place, 'api.test'], environment: ['PGPASSWORD'] },
        secrets: { key: { hosts: ['api.test'], from: { env: 'THE_KEY' } } },
      },
      options: { environment: { ...process.env, ...environment } },
    });
    const elicit = async () => ({ action: 'accept' as const });
    const bash = async (command: string) =>
      outputOf(await world.call('bash', { command, timeout_seconds: 120 }, { elicit }));
    const line = `psql -Atc 'select 6 * 7' postgres://few@${place}/postgres`;

    const refused = await bash(`PGPASSWORD=$KEY_TOKEN ${line}`);
    expect(refused.stderr).toContain('password authentication failed for user "few"');
    expect(JSON.stringify(refused)).not.toContain(canary);
    expect(await bash(line)).toMatchObject({ stdout: '42\n' });
    await server.stop();
    rmSync(folder, { recursive: true });
  });
});

/** A server of AWS, which checks all that it gets. */
function isSignedBy(key: Key, { method = '', url = '', headers }: IncomingMessage, body: Buffer): boolean {
  const given = { ...headers, host: headers.host ?? headers[':authority'] } as unknown as Headers;
  return whyRefused({ method, target: url, headers: given, body }, key) === undefined;
}

function holdsCanary({ headers, url = '' }: IncomingMessage): boolean {
  const [scheme = '', words = ''] = (headers.authorization ?? '').split(' ');
  const login = scheme === 'Basic' ? Buffer.from(words, 'base64').toString().split(':')[1] : words || scheme;
  // cargo reads its index before it logs in.
  return (
    [login, headers['x-api-key'], new URL(url, 'https://here').searchParams.get('key')].includes(canary) ||
    url.startsWith('/index/')
  );
}

function answerTo(url: string, base: string, isPublished: boolean): string {
  if (url.startsWith('/index/config.json')) return JSON.stringify({ dl: `${base}/dl`, api: base });
  // cargo waits until what it has published is listed.
  const versions = isPublished ? ['0.1.0', '0.2.0'] : ['0.1.0'];
  if (url.startsWith('/index/'))
    return versions
      .map(
        (vers) =>
          `${JSON.stringify({ name: 'notes', vers, deps: [], cksum: '0', features: {}, yanked: false })}\n`,
      )
      .join('');
  if (url.startsWith('/bucket')) return '<ListBucketResult></ListBucketResult>';
  if (url === '/') return '{"TableNames":[]}';
  if (url.includes('whoami')) return '{"username":"me"}';
  return '{"ok":true,"warnings":{"invalid_categories":[],"invalid_badges":[],"other":[]},"msg":"done"}';
}

/** The programs that rustup puts on PATH choose a toolchain by the home folder. */
function cargo(): string {
  if (programs('rustup')) return 'cargo';
  const env = { ...process.env, HOME: userInfo().homedir };
  return `PATH=${dirname(execFileSync('rustup', ['which', 'cargo'], { encoding: 'utf8', env }))}:$PATH cargo`;
}
