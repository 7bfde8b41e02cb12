import { readdirSync, readFileSync } from 'node:fs';

/** Processes of the machine that sleep for exactly that long: a mark that a command leaves on what it starts. */
export function countSleepers(seconds: string): number {
  const isSleeper = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `sleep\0${seconds}\0`;
    } catch {
      return false;
    }
  };
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isSleeper(pid)).length;
}
