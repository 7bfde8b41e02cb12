import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { searchPath } from './environment.ts';

/** What every command may read of the machine: programs, libraries and the few settings that they look up. */
export const systemFolders = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/nix/store',
  '/gnu/store',
];

export const systemFiles = [
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/passwd',
  '/etc/group',
  '/etc/nsswitch.conf',
  '/etc/host.conf',
  '/etc/hosts',
  '/etc/localtime',
  '/etc/timezone',
  '/etc/alternatives',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
  '/etc/pki/tls/certs',
  '/etc/pki/ca-trust/extracted',
  '/etc/ca-certificates',
  '/etc/crypto-policies',
  '/etc/locale.alias',
  '/etc/locale.conf',
  '/etc/mime.types',
  '/etc/magic',
  '/etc/protocols',
  '/etc/services',
  '/etc/os-release',
  '/etc/terminfo',
  '/etc/fonts',
  '/etc/java',
  '/etc/python3',
];

/**
 * Folders of the search path outside `/usr`, with the libraries of their installation: a Node of nvm or of a
 * build server. Their parent is not bound, it may be a home folder.
 */
export function toolFolders(path: string | undefined): string[] {
  const folders: string[] = [];
  for (const folder of searchPath(path)) {
    if (/^\/(usr|bin|sbin|proc|dev|sys)(\/|$)/.test(folder)) continue;
    const real = realpathOrNone(folder);
    if (real === undefined || real === '/' || real === process.env.HOME) continue;
    folders.push(folder);
    if (/\/s?bin$/.test(folder)) {
      for (const sibling of ['lib', 'lib64', 'libexec', 'include'])
        folders.push(join(dirname(folder), sibling));
    }
  }
  return folders;
}

function realpathOrNone(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
