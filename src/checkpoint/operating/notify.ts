import type { Settings } from '../../config/settings.ts';
import { once } from '../../ground/waiting/once.ts';
import type { Notifier } from '../../notify/notifier.ts';
import { deriveKey } from '../../store/derived-key.ts';
import type { Rooms } from '../rooms.ts';

/** Notifies people of waiting questions. Loaded at the first question that waits. */
export interface Notices extends Pick<Notifier, 'test'> {
  begin(): void;
  /** Sets the console's address at this process, for links without a configured public address. */
  servedAt(base: string): void;
  /** For browsers that subscribe to web push. */
  publicKey(): Promise<string>;
  close(): Promise<void>;
}

export function createNotices(
  settings: Settings,
  rooms: Rooms,
  {
    now,
    environment,
    onFault = () => {},
  }: {
    readonly now: () => number;
    readonly environment: NodeJS.ProcessEnv;
    readonly onFault?: ((error: unknown) => void) | undefined;
  },
): Notices {
  let served: string | undefined;
  let isClosing = false;

  const vapid = once(async () => {
    const { vapidKeysFrom } = await import('../../notify/channels/push.ts');
    return vapidKeysFrom(deriveKey(settings.stateFolder, 'web push'));
  });

  const notifier = once(async () => {
    const { Notifier } = await import('../../notify/notifier.ts');
    return new Notifier({
      settings: settings.notify,
      locale: settings.locale,
      notices: async () => (await rooms.store()).notices,
      approvals: async () => (await rooms.store()).approvals,
      async digest(sinceMs) {
        const { digestSince } = await import('../../operator/look-back.ts');
        const { audit, approvals, history } = await rooms.store();
        const given = { audit: async () => audit, approvals: async () => approvals, now };
        return digestSince(sinceMs, { ...given, changes: async () => history });
      },
      hasPasskey: async () => (await (await rooms.store()).passkeys.list()).length > 0,
      base: () => settings.http.publicUrl ?? served,
      vapid,
      terminal: process.stderr,
      environment,
      now,
      onFault,
    });
  });

  return {
    begin() {
      if (isClosing) return;
      notifier().then((opened) => isClosing || opened.begin(), onFault);
    },
    servedAt(base) {
      served = base;
    },
    publicKey: async () => (await vapid()).publicKey,
    test: async (channel) => (await notifier()).test(channel),
    async close() {
      isClosing = true;
      await (await notifier.opened())?.close();
    },
  };
}
