import { spawn } from 'node:child_process';
import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import type { StageSpawn } from '../../contract/pipeline.ts';
import { childOf } from './spawn-plain.ts';

/**
 * Starts stages in namespaces of their own: the system's programs and the workspace read-only, no network, no other
 * process to see, no capability. Open descriptors pass through.
 */
export function createBubblewrapSpawn(bwrap: string): StageSpawn {
  const system = systemArguments();
  return ({ program, args, environment, workingFolder, descriptors, readable, writable }) => {
    const bound = [
      ...readable.flatMap((path) => ['--ro-bind', path, path]),
      ...writable.flatMap((path) => ['--bind', path, path]),
      ...(program.startsWith('/usr/') ? [] : ['--ro-bind', program, program]),
    ];
    return childOf(
      spawn(bwrap, [...system, ...bound, '--chdir', workingFolder, '--', program, ...args], {
        // bwrap passes its own environment on, so it gets the stage's.
        env: { ...environment },
        cwd: '/',
        stdio: [...descriptors],
        detached: true,
      }),
    );
  };
}

function systemArguments(): readonly string[] {
  const args = [
    '--unshare-all',
    '--die-with-parent',
    '--new-session',
    '--cap-drop',
    'ALL',
    '--ro-bind',
    '/usr',
    '/usr',
  ];
  for (const folder of ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']) {
    if (!existsSync(folder)) continue;
    if (lstatSync(folder).isSymbolicLink()) args.push('--symlink', readlinkSync(folder), folder);
    else args.push('--ro-bind', folder, folder);
  }
  // The loader's cache and awk's alternatives; nothing that names people or secrets.
  for (const path of ['/etc/ld.so.cache', '/etc/alternatives'])
    if (existsSync(path)) args.push('--ro-bind', path, path);
  return [...args, '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'];
}
