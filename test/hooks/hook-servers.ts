import { readdirSync, readFileSync } from 'node:fs';

/** The servers that serve hooks of this home. */
export function hookServersOf(home: string): number[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && commandLine(pid).startsWith('sekisho resident'))
    .filter((pid) => variables(pid).includes(`HOME=${home}\0`))
    .map(Number);
}

function variables(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}

export function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
