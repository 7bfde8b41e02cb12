import type { Client, McpSubscription } from '@modelcontextprotocol/client';

/** Subscribes a connection to exactly these resources, as its revision does. Resolves to the refusals, by address. */
export type SetWatched = (uris: readonly string[]) => Promise<ReadonlyMap<string, unknown>>;

const againMs = 1000;

export function createSubscriptions(client: Client, isModern: boolean): SetWatched {
  let wanted: readonly string[] = [];
  let held: readonly string[] = [];
  let stream: McpSubscription | undefined;
  /** One change at a time: the last request determines the result. */
  let last: Promise<unknown> = Promise.resolve();

  async function setLegacy(uris: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
    const before = held;
    held = uris;
    // Notifications for unwatched resources are ignored anyway.
    for (const uri of before)
      if (!uris.includes(uri)) await client.unsubscribeResource({ uri }).catch(() => {});
    const failures = new Map<string, unknown>();
    for (const uri of uris) {
      if (before.includes(uri)) continue;
      try {
        await client.subscribeResource({ uri });
      } catch (error) {
        // A failing resource must not prevent watching the others.
        held = held.filter((each) => each !== uri);
        failures.set(uri, error);
      }
    }
    return failures;
  }

  async function setModern(uris: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
    if (uris.length === held.length && uris.every((uri) => held.includes(uri))) return new Map();
    const before = stream;
    // Open the new stream first, so that nothing is missed in between.
    stream = uris.length === 0 ? undefined : await client.listen({ resourceSubscriptions: [...uris] });
    held = uris;
    if (stream) listenAgain(stream);
    // It is already replaced, so errors of closing do not matter.
    await before?.close().catch(() => {});
    return new Map();
  }

  /** Reopens a stream that ended without us; on an ended connection that simply fails. */
  function listenAgain(ended: McpSubscription): void {
    void ended.closed.then((by) => {
      if (by === 'local' || stream !== ended) return;
      held = [];
      stream = undefined;
      // An ended connection restores its subscriptions when it is reopened.
      setTimeout(() => void settle().catch(() => {}), againMs).unref();
    });
  }

  function settle(): Promise<ReadonlyMap<string, unknown>> {
    const next = last.then(() => (isModern ? setModern(wanted) : setLegacy(wanted)));
    // The requester gets a failure; the next change only waits its turn.
    last = next.catch(() => {});
    return next;
  }

  return (uris) => {
    wanted = uris;
    return settle();
  };
}
