import type { Gateway } from '../contract/gateway.ts';

/** A change to report to watching clients. */
export interface Change {
  readonly what: 'tools' | 'prompts' | 'resources';
  /** The only connection concerned. Undefined: all. */
  readonly connectionId?: string | undefined;
}

/** A source of changes; the returned function ends the watch. */
export type Changes = (listener: (change: Change) => void) => () => void;

export const changeNotification = {
  tools: 'notifications/tools/list_changed',
  prompts: 'notifications/prompts/list_changed',
  resources: 'notifications/resources/list_changed',
} as const;

/** The gateway's changes, combined with another source. */
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
