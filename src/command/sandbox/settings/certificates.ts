import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { isInside } from '../../../ground/inside.ts';

/** Variables that name extra certificate authorities, as behind a company's proxy. */
export const certificateVariables: readonly string[] = [
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'NIX_SSL_CERT_FILE'],
  ...['REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE', 'GIT_SSL_CAINFO', 'GIT_SSL_CAPATH', 'PIP_CERT'],
  ...['npm_config_cafile', 'NPM_CONFIG_CAFILE', 'YARN_HTTPS_CA_FILE_PATH', 'CARGO_HTTP_CAINFO'],
  ...['BUNDLE_SSL_CA_CERT', 'AWS_CA_BUNDLE', 'DENO_CERT'],
];

/** Takes these variables from the server. A variable that names a missing path, or a whole home, is left out. */
export function certificatesOf(server: Readonly<Record<string, string | undefined>>) {
  const told = certificateVariables.flatMap((name) => {
    const value = server[name];
    const paths = value?.split(':') ?? [];
    return value !== undefined && paths.every(mayBeShown) ? [{ name, value, paths }] : [];
  });
  return {
    variables: Object.fromEntries(told.map(({ name, value }) => [name, value])),
    /** The files and folders that these variables name. */
    paths: [...new Set(told.flatMap(({ paths }) => paths))],
  };
}

function mayBeShown(path: string): boolean {
  if (!path.startsWith('/') || isInside(homedir(), resolve(path))) return false;
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true || stat?.isDirectory() === true;
}
