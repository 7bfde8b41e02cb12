import { storageError, unreachable } from '../errors.ts';

/** A table has other columns than when this statement was planned: a server of a newer version has begun. */
export function isStalePlan(error: unknown): boolean {
  const { code, routine } = (error ?? {}) as { code?: string; routine?: string };
  return code === '0A000' && routine === 'RevalidateCachedQuery';
}

/** The driver's own errors have no code: the connection was lost, or there was none in time. */
export function failure(error: unknown): never {
  const isOwn = error instanceof Error && error.constructor === Error && !('code' in error);
  throw isOwn ? unreachable(error) : storageError(error);
}
