import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Prevents clients from forging the ids that travel through them: `id.mac`. The store has, under the id, what it may be
 * used for (caller, tool, arguments, once, until when). The key is derived at first use.
 */
export function createSeal(deriveKey: () => Uint8Array): {
  close(id: string): string;
  open(state: string): string | undefined;
} {
  let key: Uint8Array | undefined;
  const macOf = (id: string) => {
    key ??= deriveKey();
    return createHmac('sha256', key).update(id).digest('base64url');
  };
  return {
    close: (id) => `${id}.${macOf(id)}`,
    open(state) {
      const dot = state.lastIndexOf('.');
      if (dot <= 0) return undefined;
      const id = state.slice(0, dot);
      const given = Buffer.from(state.slice(dot + 1));
      const expected = Buffer.from(macOf(id));
      return given.length === expected.length && timingSafeEqual(given, expected) ? id : undefined;
    },
  };
}
