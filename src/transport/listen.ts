import type { Arrival } from '../contract/call.ts';
import { isRecord } from '../ground/is-record.ts';
import { changeNotification } from './changes.ts';
import { type Params, type RequestId, RpcError, rpcCode } from './jsonrpc.ts';
import type { Mcp } from './mcp.ts';
import { metaKey } from './revision.ts';

const maxWatchedResources = 100;
const kinds = ['tools', 'prompts', 'resources'] as const;

/** An open `subscriptions/listen`. */
export type Subscription = Awaited<ReturnType<typeof openSubscription>>;

/** The destination of a subscription's messages. */
export interface Sink {
  send(method: string, params: Params): void;
  isCongested(): boolean;
}

/** Opens a subscription: acknowledges its accepted part, then sends only that, each with the subscription's id. */
export async function openSubscription(
  mcp: Mcp,
  id: RequestId,
  params: Params,
  arrival: Arrival,
  sink: Sink,
) {
  const wanted = params.notifications;
  if (!isRecord(wanted))
    throw new RpcError(rpcCode.invalidParams, 'subscriptions/listen needs notifications.');
  const mark = { [metaKey.subscriptionId]: id };
  const watched = kinds.filter(
    (kind) => wanted[`${kind}ListChanged`] === true && tells(mcp, kind, 'listChanged'),
  );
  const uris = tells(mcp, 'resources', 'subscribe') ? readUris(wanted.resourceSubscriptions) : [];

  // Send nothing to a congested client: it reads the list again after the notification that it has not read yet.
  const tell = (method: string, news: Params) => {
    if (!sink.isCongested()) sink.send(method, news);
  };
  sink.send('notifications/subscriptions/acknowledged', {
    notifications: {
      ...Object.fromEntries(watched.map((kind) => [`${kind}ListChanged`, true])),
      ...(uris.length > 0 && { resourceSubscriptions: uris }),
    },
    _meta: mark,
  });

  const ends: (() => void)[] = [
    mcp.changes(({ what, connectionId }) => {
      const concerned = connectionId === undefined || connectionId === arrival.connectionId;
      if (concerned && watched.includes(what)) tell(changeNotification[what], { _meta: mark });
    }),
  ];
  const end = () => {
    for (const stop of ends.splice(0)) stop();
  };
  try {
    for (const uri of uris) {
      const changed = () => tell('notifications/resources/updated', { uri, _meta: mark });
      const stop = await mcp.gateway.resources?.subscribe(arrival, uri, changed);
      if (stop) ends.push(stop);
    }
  } catch (error) {
    end();
    throw error;
  }
  return {
    /** Whether the client asked for nothing that this server can report. */
    isEmpty: watched.length === 0 && uris.length === 0,
    end,
    /** The result that closes it properly. */
    closingResultJson: closingResultOf(mcp, id),
  };
}

/** The result that closes a subscription properly. */
export function closingResultOf({ serverInfo }: Mcp, id: RequestId): string {
  return JSON.stringify({
    resultType: 'complete',
    _meta: { [metaKey.subscriptionId]: id, [metaKey.serverInfo]: serverInfo },
  });
}

function tells(mcp: Mcp, kind: (typeof kinds)[number], what: 'listChanged' | 'subscribe'): boolean {
  const capability = mcp.capabilities[kind];
  return isRecord(capability) && capability[what] === true;
}

function readUris(value: unknown): readonly string[] {
  const uris = Array.isArray(value) ? value.filter((uri) => typeof uri === 'string') : [];
  if (uris.length > maxWatchedResources)
    throw new RpcError(rpcCode.invalidParams, `At most ${maxWatchedResources} resources to a subscription.`);
  return uris;
}
