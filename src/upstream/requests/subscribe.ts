import type { Client, McpSubscription } from '@modelcontextprotocol/client';

/**
 * Keeps a connection subscribed to exactly these resources, in the way of its revision. Resolves to what the server
 * refused, by address.
 */
export type SetWatched = (uris: readonly string[]) => Promise<ReadonlyMap<string, unknown>>;

const againMs = 1000;

export function createSubscriptions(client: Client, isModern: boolean): SetWatched {
  let wanted: readonly string[] = [];
  let held: readonly string[] = [];
  let stream: McpSubscription | undefined;
  /** One change after the other: the last one that was asked for is what stays. */
  let last: Promise<unknown> = Promise.resolve();

  async function setLegacy(uris: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
    const before = held;
    held = uris;
    // News of what nobody watches any more are passed over anyway.
    for (const uri of before)
      if (!uris.includes(uri)) await client.unsubscribeResource({ uri }).catch(() => {});
    const failures = new Map<string, unknown>();
    for (const uri of uris) {
      if (before.includes(uri)) continue;
      try {
        await client.subscribeResource({ uri });
      } catch (error) {
        // One that is gone must not keep the others from being watched.
        held = held.filter((each) => each !== uri);
        failures.set(uri, error);
      }
    }
    return failures;
  }

  async function setModern(uris: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
    if (uris.length === held.length && uris.every((uri) => held.includes(uri))) return new Map();
    const before = stream;
    // The new one first, so that nothing is missed in between.
    stream = uris.length === 0 ? undefined : await client.listen({ resourceSubscriptions: [...uris] });
    held = uris;
    if (stream) listenAgain(stream);
    // It is replaced: whether it could be ended changes nothing.
    await before?.close().catch(() => {});
    return new Map();
  }

  /** A stream that ended without us is opened anew; on a connection that has ended too, that fails and is all. */
  function listenAgain(ended: McpSubscription): void {
    void ended.closed.then((by) => {
      if (by === 'local' || stream !== ended) return;
      held = [];
      stream = undefined;
      // A connection that has ended begins its subscriptions anew when it is opened again.
      setTimeout(() => void settle().catch(() => {}), againMs).unref();
    });
  }

  function settle(): Promise<ReadonlyMap<string, unknown>> {
    const next = last.then(() => (isModern ? setModern(wanted) : setLegacy(wanted)));
    // Whoever asked for it hears of a failure; the next change only waits its turn.
    last = next.catch(() => {});
    return next;
  }

  return (uris) => {
    wanted = uris;
    return settle();
  };
}
