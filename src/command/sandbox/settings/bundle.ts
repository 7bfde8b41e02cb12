import { lstatSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { errnoCode } from '../../../ground/errors/errno-code.ts';
import { orElse } from '../../../ground/or-else.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** The authorities that this machine and the server's own variables trust, in PEM. */
export function trustedAuthorities(server: Variables): string {
  const named = ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'].flatMap((name) => server[name] ?? []);
  const system = bundles.find((path) => readUpTo(path, maxBytes) !== '');
  const texts = [...(system === undefined ? [] : [system]), ...named].map((path) => readUpTo(path, maxBytes));
  // Without a line break between two of them, both are lost.
  return [...(system === undefined ? rootCertificates : []), ...texts].join('\n');
}

/** Has programs in the sandbox trust these authorities, which replace the bundle in `etc`, its copy of `/etc`. */
export function writeBundle(etc: string, authorities: string): void {
  for (const path of bundles) {
    const copy = join(etc, path.slice('/etc/'.length));
    // Most of these are links to one of them, or outside of the copy.
    if (path !== bundle && !exists(copy)) continue;
    rmSync(copy, { force: true });
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, authorities);
  }
}

/** The variables by which programs find the bundle that do not look for the system's. */
export function bundleVariables(): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, bundle]));
}

const bundle = '/etc/ssl/certs/ca-certificates.crt';
/** Of Debian, Alpine, Fedora and SUSE. */
const bundles = [
  bundle,
  '/etc/ssl/cert.pem',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/ca-bundle.pem',
];

const names = [
  'SSL_CERT_FILE NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO PIP_CERT CARGO_HTTP_CAINFO',
  'AWS_CA_BUNDLE DENO_CERT GRPC_DEFAULT_SSL_ROOTS_FILE_PATH HTTPS_CA_FILE NIX_SSL_CERT_FILE npm_config_cafile',
  'YARN_HTTPS_CA_FILE_PATH BUNDLE_SSL_CA_CERT',
].flatMap((each) => each.split(' '));

/** The text of a file; empty if it cannot be read or is larger. */
export function readUpTo(path: string, maxBytes: number): string {
  return orElse(() => {
    const stat = statSync(path);
    return stat.isFile() && stat.size <= maxBytes ? readFileSync(path, 'utf8') : '';
  }, '');
}

const maxBytes = 4 * 1024 ** 2;

function exists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    if (errnoCode(error) === 'ENOENT') return false;
    throw error;
  }
}
