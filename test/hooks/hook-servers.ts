import { readdirSync, readFileSync } from 'node:fs';

/** The servers that serve hooks of this folder. */
export function hookServersOf(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const words = commandLine(pid);
      return words.includes('hook-server') && words.includes(folder);
    })
    .map(Number);
}

export function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
