import { userInfo } from 'node:os';
import { outsideOf } from '../../config/outside.ts';

/** The name of the account that runs this, or its number if the system has no record of it, as in containers. */
export function accountName(): string {
  const outside = outsideOf();
  if (outside) return outside.user;
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.()}`;
  }
}
