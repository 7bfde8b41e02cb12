import * as z from 'zod';
import type { Adapter, Fields, HookEvent, Said } from './event.ts';
import { callsOf, hookId, type NativeReader, parsed, prompted } from './parse.ts';

/** One client's form of hooks, as far as it differs from the others'. */
export interface Form extends Pick<Adapter, 'say' | 'refuse'> {
  /** The client's name in the log. */
  readonly name: string;
  /** The client's name for people. */
  readonly client: string;
  /** The fields of every event; the first is the id of the conversation. */
  readonly common: z.ZodRawShape;
  /** The further fields of a use of a tool, before and after it. */
  readonly use: z.ZodRawShape;
  /** The names of its events, the meaning of each, and its further fields. */
  readonly events: readonly (readonly [name: string, means: Meaning, fields?: z.ZodRawShape])[];
  /** The beginning of the names of MCP servers' tools, ours included, which come separately. */
  readonly servers: string;
  /** Tools that stay within the client, or whose calls come separately. */
  readonly within: readonly string[];
  readonly readers: ReadonlyMap<string, NativeReader>;
  /** What only this client's events say; each has a default. */
  readonly facts?: (event: ClientEvent) => Partial<Facts>;
}

type Before = Extract<HookEvent, { kind: 'before' }>;
type Facts = Pick<Before, 'folder' | 'use' | 'asks' | 'again'> &
  Pick<Extract<HookEvent, { kind: 'after' }>, 'failure'>;

type Meaning = HookEvent['kind'] | 'prompt';

/** The fields that events have, by what they mean. */
interface ClientEvent extends Fields {
  readonly hook_event_name: string;
  readonly tool_name: string;
  readonly tool_input: unknown;
  readonly tool_use_id: string;
  readonly cwd: string;
  readonly prompt?: string | undefined;
}

/** The answers and events of a client, by its form. */
export function adapterOf(form: Form): Adapter {
  const { name: client, readers, say, refuse } = form;
  const means = new Map(form.events.map(([name, meaning]) => [name, meaning]));
  const [id = ''] = Object.keys(form.common);
  const [first, ...others] = form.events.map(([name, meaning, fields]) =>
    z.looseObject({
      hook_event_name: z.literal(name),
      ...form.common,
      ...(ofTools.has(meaning) && tool),
      ...(ofTools.has(meaning) && meaning !== 'approval' && form.use),
      ...(meaning === 'prompt' && { prompt: prompted }),
      ...fields,
    }),
  );
  if (!first) throw new TypeError('a client without events');
  const schema = z.discriminatedUnion('hook_event_name', [first, ...others]);

  function read(given: unknown): HookEvent {
    const event = parsed(schema, given, form.client) as unknown as ClientEvent;
    const session = `${client}:${event[id]}`;
    const { tool_name: name, tool_input: input, cwd, tool_use_id: ownId } = event;
    const facts: Partial<Facts> = form.facts?.(event) ?? {};
    const { folder = cwd, use = ownId, asks = false, again, failure } = facts;
    const asked = { tool: name, input };
    const kind = means.get(event.hook_event_name) ?? 'turn-over';
    switch (kind) {
      case 'before': {
        const isElsewhere = name.startsWith(form.servers) || form.within.includes(name);
        const calls = isElsewhere ? [] : callsOf(readers, name, input, folder);
        return { kind, session, folder, use, calls, asks, asked, again };
      }
      case 'approval':
        return { kind, session, asked };
      case 'after':
        return { kind, session, use, failure };
      case 'prompt':
        // An agent's prompt is not the person's.
        return { kind: 'turn-over', session, said: event.agent_id === undefined ? event.prompt : undefined };
      default:
        return { kind, session };
    }
  }

  return { name: client, read, say, ...(refuse && { refuse }) };
}

const ofTools: ReadonlySet<Meaning> = new Set(['before', 'approval', 'after']);
const tool = { tool_name: z.string().min(1).max(500), tool_input: z.unknown() };
/** The folder in which a client works. */
export const workFolder = z.string().startsWith('/');
/** The id of a use of a tool, in the clients that have one. */
export const useId = { tool_use_id: hookId };

/** An answer as JSON; without one, the client goes on as if there were no hook. */
export function told(answer?: object): Said {
  return { stdout: answer === undefined ? '' : `${JSON.stringify(answer)}\n`, stderr: '', exitCode: 0 };
}
