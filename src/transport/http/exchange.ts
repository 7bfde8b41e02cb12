import type { Arrival } from '../../contract/call.ts';
import type { Exchange } from '../exchange.ts';
import { type Incoming, notificationFrame } from '../jsonrpc.ts';
import type { Envelope } from '../revision.ts';
import { askSignal, type Run } from '../run.ts';
import { traceContextOf } from '../trace.ts';
import type { Outlet } from './outlet.ts';
import type { Session } from './sessions.ts';

type Request = Pick<Extract<Incoming, { kind: 'request' }>, 'id' | 'params'>;

/** A request of revision 2026-07-28, which is self-contained. */
export function modernExchange(
  envelope: Envelope,
  { id, params }: Request,
  arrival: Arrival,
  run: Run,
  outlet: Outlet,
): Exchange {
  return {
    era: 'modern',
    id,
    params,
    arrival,
    clientCapabilities: envelope.capabilities,
    beganAt: run.beganAt,
    signal: run.cancel.signal,
    notify: notifier(run, outlet),
  };
}

/** A request of an older revision; without a session it can neither ask the client nor keep anything. */
export function legacyExchange(
  session: Session | undefined,
  { id, params }: Request,
  arrival: Arrival,
  run: Run,
  outlet: Outlet,
): Exchange {
  const trace = traceContextOf(params, arrival);
  return {
    era: 'legacy',
    id,
    params,
    arrival: session
      ? {
          ...arrival,
          connectionId: session.connectionId,
          client: session.client,
          revision: session.revision,
          ...trace,
        }
      : { ...arrival, ...trace },
    clientCapabilities: session?.clientCapabilities ?? {},
    beganAt: run.beganAt,
    signal: run.cancel.signal,
    notify: notifier(run, outlet),
    connection: session && { ...session.keeper, announce: session.announce },
    ask:
      session && outlet.canStream
        ? (method, body) => session.asks.ask(outlet.event, method, body, askSignal(run))
        : undefined,
  };
}

/** Drops progress for a client that is far behind. */
function notifier(run: Run, outlet: Outlet): Exchange['notify'] {
  return (method, params) => {
    if (!run.isOver && !outlet.isCongested()) outlet.event(notificationFrame(method, params));
  };
}
