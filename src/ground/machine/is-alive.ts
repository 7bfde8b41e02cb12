import { errnoCode } from '../errors/errno-code.ts';

/** Whether a process has this number; one of another user counts, a process group does not. */
export function isAlive(pid: number): boolean {
  if (pid < 1) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoCode(error) === 'EPERM';
  }
}
