import { storageError, unreachable } from '../errors.ts';

/** The columns of a table changed since this statement was planned: a newer server has migrated it. */
export function isStalePlan(error: unknown): boolean {
  const { code, routine } = (error ?? {}) as { code?: string; routine?: string };
  return code === '0A000' && routine === 'RevalidateCachedQuery';
}

/** The driver's own errors have no code: the connection was lost, or could not be made in time. */
export function failure(error: unknown): never {
  const isOwn = error instanceof Error && error.constructor === Error && !('code' in error);
  throw isOwn ? unreachable(error) : storageError(error);
}
