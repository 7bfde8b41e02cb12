import type { ServerSettings } from '../../contract/upstream.ts';
import { definitionDigest, type RemoteTool } from './definition.ts';
import { type Pin, PinProblem, type Pins } from './pin.ts';

/** The tools of one server that may be shown and called: approved by a person, unchanged since, and not denied. */
export function openApproved({ name, allow, deny }: ServerSettings, pins: Pins) {
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

  /** Reads the pin again if it was changed; returns whether it was. */
  function refresh(): boolean {
    const now = pins.stamp(name);
    if (now === stamp) return false;
    stamp = now;
    take(() => pins.read(name));
    return true;
  }

  refresh();
  return {
    get pin(): Pin | undefined {
      return pin;
    },
    /** The pin cannot be trusted: nothing of the server is served. */
    get isDamaged(): boolean {
      return isDamaged;
    },
    isShown(remoteName: string) {
      if (deny.includes(remoteName)) return false;
      if (allow && !allow.includes(remoteName)) return false;
      const approved = pin?.digests.get(remoteName);
      if (approved === undefined) return false;
      return current === undefined || current.get(remoteName) === approved;
    },
    /** Whether the running server lists exactly this definition under the name. */
    isCurrent: (remoteName: string, digest: string) => current?.get(remoteName) === digest,
    /** Compares the running server's list with the pin. */
    compare(listed: readonly RemoteTool[], offers: Pin['offers']) {
      current = new Map(listed.map((tool) => [tool.name, definitionDigest(tool)]));
      take(() => pins.compare(name, listed, offers));
      stamp = pins.stamp(name);
    },
    /** The list cannot be fetched: until it can, none of the tools counts as unchanged. */
    lost() {
      current = new Map();
    },
    refresh,
  };
}
