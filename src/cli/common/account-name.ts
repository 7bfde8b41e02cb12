import { userInfo } from 'node:os';
import { outsideOf } from '../../config/places/outside.ts';
import { orElse } from '../../ground/or-else.ts';

/** The name of the account that runs this, or its number if the system has no record of it, as in containers. */
export function accountName(): string {
  const outside = outsideOf();
  if (outside) return outside.user;
  return orElse(() => userInfo().username, `uid-${process.getuid?.()}`);
}
