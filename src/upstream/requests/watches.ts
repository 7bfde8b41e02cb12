import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import type { Connection } from '../connection/connect.ts';

const maxWatched = 1000;
/** Changes of one resource in quicker succession are reported once: watchers read it again anyway. */
const quietMs = 100;
/** Between the server's consent and the watch, the call is recorded and replied to. */
const expectedMs = 30_000;

/** The watchers of each resource of one server. */
export function createWatches() {
  const watched = new Map<string, Set<() => void>>();
  const expected = new Map<string, NodeJS.Timeout>();
  const late = new Map<string, { isDue: boolean; readonly timer: NodeJS.Timeout }>();

  function tell(uri: string): void {
    const quiet = late.get(uri);
    if (quiet) {
      quiet.isDue = true;
      return;
    }
    const timer = setTimeout(() => {
      const isDue = late.get(uri)?.isDue === true;
      late.delete(uri);
      if (isDue) tell(uri);
    }, quietMs);
    timer.unref();
    late.set(uri, { isDue: false, timer });
    for (const changed of watched.get(uri) ?? []) changed();
  }

  /** The server says that a resource changed. */
  function updated(uri: string): void {
    // A server may report a part of a watched resource.
    for (const known of watched.keys()) if (uri === known || uri.startsWith(`${known}/`)) tell(known);
  }

  return {
    uris: (): readonly string[] => [...new Set([...watched.keys(), ...expected.keys()])],
    /** Restores the watches at a restarted server, which has forgotten them. */
    async begin({ offers, setWatched }: Connection) {
      const uris = [...watched.keys()];
      if (uris.length > 0 && offers.subscriptions) await setWatched(uris).catch(() => new Map());
      // Resources may have changed in the meantime.
      for (const uri of uris) updated(uri);
    },
    /**
     * Announces a watch: it counts as watched until it begins, or for a while. The returned function cancels that. Throws
     * `rate_limited` if it would exceed the limit of resources.
     */
    expect(uri: string): () => void {
      if (!watched.has(uri) && watched.size + expected.size >= maxWatched)
        throw new ToolError(
          'rate_limited',
          `${maxWatched} resources of this server are watched already.`,
          `このサーバーのリソースは既に ${maxWatched} 件監視されています。`,
          text('Unsubscribe from some first.', '先にいくつかの購読を解除してください。'),
        );
      const forget = () => {
        clearTimeout(timer);
        if (expected.get(uri) === timer) expected.delete(uri);
      };
      const timer = setTimeout(forget, expectedMs).unref();
      clearTimeout(expected.get(uri));
      expected.set(uri, timer);
      return forget;
    },
    add(uri: string, changed: () => void): () => void {
      const listeners = watched.get(uri) ?? new Set();
      // A new function each time: one caller may watch the same resource twice.
      const listener = () => changed();
      listeners.add(listener);
      watched.set(uri, listeners);
      clearTimeout(expected.get(uri));
      expected.delete(uri);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0 && watched.get(uri) === listeners) watched.delete(uri);
      };
    },
    updated,
    close() {
      for (const { timer } of late.values()) clearTimeout(timer);
      for (const timer of expected.values()) clearTimeout(timer);
      late.clear();
      expected.clear();
      watched.clear();
    },
  };
}
