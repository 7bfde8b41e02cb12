import type { ServerSettings } from '../../contract/upstream.ts';
import { definitionDigest, type RemoteTool } from './definition.ts';
import { type Pin, PinProblem, type Pins } from './pin.ts';

/** What may be shown and called of one server: approved by a person, not denied, and as it was approved. */
export interface Approved {
  readonly pin: Pin | undefined;
  /** The pin cannot be believed: nothing of the server is let through. */
  readonly isDamaged: boolean;
  isShown(remoteName: string): boolean;
  /** Is it what the running server lists under this name now? */
  isCurrent(remoteName: string, digest: string): boolean;
  /** Holds what the running server lists against the pin. */
  compare(listed: readonly RemoteTool[], offers: Pin['offers']): void;
  /** The list cannot be had: until it can, nothing of the server is as it was approved. */
  lost(): void;
  /** Reads the pin again where somebody changed it, and says whether somebody did. */
  refresh(): boolean;
}

export function openApproved({ name, allow, deny }: ServerSettings, pins: Pins): Approved {
  let pin: Pin | undefined;
  let isDamaged = false;
  let stamp = '';
  /** Digests of what the running server lists, by remote name; absent while none was seen to run. */
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
