import type { Gateway } from '../contract/gateway.ts';

/** A change that watching clients are told of. */
export interface Change {
  readonly what: 'tools' | 'prompts' | 'resources';
  /** Only this connection is concerned; absent: everybody. */
  readonly connectionId?: string | undefined;
}

/** A source of changes; the returned function ends the watch. */
export type Changes = (listener: (change: Change) => void) => () => void;

export const changeNotification = {
  tools: 'notifications/tools/list_changed',
  prompts: 'notifications/prompts/list_changed',
  resources: 'notifications/resources/list_changed',
} as const;

/** The gateway's own changes, joined with another source. */
export function changesOf(gateway: Gateway, more?: Changes): Changes {
  return (listener) => {
    const ends = [
      gateway.onListChanged((connectionId) => listener({ what: 'tools', connectionId })),
      gateway.prompts?.onChanged(() => listener({ what: 'prompts' })),
      gateway.resources?.onChanged?.(() => listener({ what: 'resources' })),
      more?.(listener),
    ];
    return () => {
      for (const end of ends) end?.();
    };
  };
}
