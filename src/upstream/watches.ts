import { ToolError } from '../contract/error.ts';
import { text } from '../contract/text.ts';
import type { Connection } from './connect.ts';

/** Who watches which resource of one server. */
export interface Watches {
  readonly uris: () => readonly string[];
  /** A server that was started again knows nothing of who watched it. */
  begin(connection: Connection): Promise<void>;
  /** Throws `rate_limited` where one more resource would be too many. */
  assertRoom(uri: string): void;
  add(uri: string, changed: () => void): () => void;
  /** The server says that a resource changed. */
  updated(uri: string): void;
  close(): void;
}

const maxWatched = 1000;
/** News of one resource that come faster than this are told once: whoever hears of it reads it anew. */
const quietMs = 100;

export function createWatches(): Watches {
  const watched = new Map<string, Set<() => void>>();
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

  function updated(uri: string): void {
    // A server may name a part of what is watched.
    for (const known of watched.keys()) if (uri === known || uri.startsWith(`${known}/`)) tell(known);
  }

  return {
    uris: () => [...watched.keys()],
    async begin({ offers, setWatched }) {
      const uris = [...watched.keys()];
      if (uris.length > 0 && offers.subscriptions) await setWatched(uris).catch(() => {});
      // Meanwhile something may have changed.
      for (const uri of uris) updated(uri);
    },
    assertRoom(uri) {
      if (!watched.has(uri) && watched.size >= maxWatched) throw tooMany();
    },
    add(uri, changed) {
      const listeners = watched.get(uri) ?? new Set();
      // A function of its own each time: one caller may watch the same twice.
      const listener = () => changed();
      listeners.add(listener);
      watched.set(uri, listeners);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0 && watched.get(uri) === listeners) watched.delete(uri);
      };
    },
    updated,
    close() {
      for (const { timer } of late.values()) clearTimeout(timer);
      late.clear();
      watched.clear();
    },
  };
}

function tooMany(): ToolError {
  return new ToolError(
    'rate_limited',
    text(
      `${maxWatched} resources of this server are watched already.`,
      `このサーバーのリソースは既に ${maxWatched} 件監視されています。`,
    ),
    { suggestion: text('Unsubscribe from some first.', '先にいくつかの購読を解除してください。') },
  );
}
