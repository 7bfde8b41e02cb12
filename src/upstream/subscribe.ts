import type { Client, McpSubscription } from '@modelcontextprotocol/client';

/** Keeps a connection subscribed to exactly these resources, in the way of its revision. */
export type SetWatched = (uris: readonly string[]) => Promise<void>;

export function createSubscriptions(client: Client, isModern: boolean): SetWatched {
  let held: readonly string[] = [];
  let stream: McpSubscription | undefined;
  /** One change after the other: the last one that was asked for is what stays. */
  let last: Promise<unknown> = Promise.resolve();

  async function setLegacy(uris: readonly string[]): Promise<void> {
    const before = held;
    held = uris;
    for (const uri of before)
      if (!uris.includes(uri)) await client.unsubscribeResource({ uri }).catch(() => {});
    for (const uri of uris) {
      if (before.includes(uri)) continue;
      try {
        await client.subscribeResource({ uri });
      } catch (error) {
        held = held.filter((each) => each !== uri);
        throw error;
      }
    }
  }

  async function setModern(uris: readonly string[]): Promise<void> {
    if (uris.length === held.length && uris.every((uri) => held.includes(uri))) return;
    const before = stream;
    // The new one first, so that nothing is missed in between.
    stream = uris.length === 0 ? undefined : await client.listen({ resourceSubscriptions: [...uris] });
    held = uris;
    await before?.close().catch(() => {});
  }

  return (uris) => {
    const next = last.then(() => (isModern ? setModern(uris) : setLegacy(uris)));
    last = next.catch(() => {});
    return next;
  };
}
