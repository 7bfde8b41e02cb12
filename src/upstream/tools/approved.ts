import type { ServerSettings } from '../../contract/upstream.ts';
import { definitionDigest, type RemoteTool } from './definition.ts';
import { type Pin, PinProblem, type Pins } from './pin.ts';

/** The tools of one server that may be shown and called: approved by a person, unchanged since, and not denied. */
export interface Approved {
  readonly pin: Pin | undefined;
  /** The pin cannot be trusted: nothing of the server is served. */
  readonly isDamaged: boolean;
  isShown(remoteName: string): boolean;
  /** Whether the running server lists exactly this definition under the name. */
  isCurrent(remoteName: string, digest: string): boolean;
  /** Compares the running server's list with the pin. */
  compare(listed: readonly RemoteTool[], offers: Pin['offers']): void;
  /** The list cannot be fetched: until it can, none of the tools counts as unchanged. */
  lost(): void;
  /** Reads the pin again if it was changed; returns whether it was. */
  refresh(): boolean;
}

export function openApproved({ name, allow, deny }: ServerSettings, pins: Pins): Approved {
  let pin: Pin | undefined;
  let isDamaged = false;
  let stamp = '';
  /** Digests of the running server's list, by remote name; undefined until it has run. */
  let current: ReadonlyMap<string, string> | undefined;

  function take(read: () => Pin | undefined): void {
    try {
      pin = read();
      isDamaged = false;
    } catch (error) {
      if (!(error instanceof PinProblem)) throw error;
      pin = undefined;
      isDamaged = true;
    }
  }

  function refresh(): boolean {
    const now = pins.stamp(name);
    if (now === stamp) return false;
    stamp = now;
    take(() => pins.read(name));
    return true;
  }

  refresh();
  return {
    get pin() {
      return pin;
    },
    get isDamaged() {
      return isDamaged;
    },
    isShown(remoteName) {
      if (deny.includes(remoteName)) return false;
      if (allow && !allow.includes(remoteName)) return false;
      const approved = pin?.digests.get(remoteName);
      if (approved === undefined) return false;
      return current === undefined || current.get(remoteName) === approved;
    },
    isCurrent: (remoteName, digest) => current?.get(remoteName) === digest,
    compare(listed, offers) {
      current = new Map(listed.map((tool) => [tool.name, definitionDigest(tool)]));
      take(() => pins.compare(name, listed, offers));
      stamp = pins.stamp(name);
    },
    lost() {
      current = new Map();
    },
    refresh,
  };
}
