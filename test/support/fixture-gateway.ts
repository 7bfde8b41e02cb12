import type { Arrival, Call, Reply } from '../../src/contract/call.ts';
import type { Gateway } from '../../src/contract/gateway.ts';
import type { Tool } from '../../src/contract/tool/tool.ts';
import type { JsonSchema } from '../../src/contract/tool/tool-card.ts';

/** What a fixture tool does with a call. */
export type FixtureRun = (input: Record<string, unknown>, call: Call) => Promise<Reply> | Reply;

export interface FixtureGateway extends Gateway {
  readonly calls: Call[];
  readonly left: Arrival[];
  /** Tools whose call was aborted. */
  readonly aborted: string[];
  changeList(connectionId?: string): void;
}

/** A checkpoint with a handful of tools and no rules, for tests of what lies in front of it. */
export function createFixtureGateway(
  extra: Readonly<Record<string, FixtureRun>> = {},
  options: { readonly token?: string; readonly schemas?: Readonly<Record<string, JsonSchema>> } = {},
): FixtureGateway {
  const listeners = new Set<(connectionId: string | undefined) => void>();
  const calls: Call[] = [];
  const left: Arrival[] = [];
  const aborted: string[] = [];
  const runs = new Map<string, FixtureRun>(Object.entries({ ...basicRuns(aborted), ...extra }));
  const tools = [...runs.keys()].map((name) => fixtureTool(name, options.schemas?.[name]));

  return {
    info: { name: 'fixture', version: '1.0.0', title: 'Fixture' },
    instructions: 'Call echo.',
    locale: 'en',
    calls,
    left,
    aborted,
    list: async () => ({ tools }),
    async call(call) {
      calls.push(call);
      const run = runs.get(call.tool);
      if (!run) return failure('not_found', `There is no tool named ${call.tool}.`);
      return run((call.input ?? {}) as Record<string, unknown>, call);
    },
    async leave(arrival) {
      left.push(arrival);
    },
    onListChanged(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    admits: async ({ bearer }) =>
      options.token === undefined || bearer === options.token
        ? { ok: true, observes: 'too' }
        : { ok: false, reason: 'A bearer token is needed.' },
    changeList(connectionId) {
      for (const listener of listeners) listener(connectionId);
    },
  };
}

export function words(text: string): Reply {
  return { kind: 'output', content: [{ type: 'text', text }] };
}

export function failure(code: 'not_found' | 'cancelled' | 'denied', message: string): Reply {
  return { kind: 'error', code, text: message, structured: { error: { code, message } } };
}

function basicRuns(aborted: string[]): Record<string, FixtureRun> {
  const releases = new Set<() => void>();
  return {
    echo: ({ text }) => ({
      kind: 'output',
      content: [{ type: 'text', text: String(text) }],
      structured: { text: String(text) },
    }),
    /** Waits until it is cancelled. */
    wait: (_input, call) =>
      new Promise((resolve) => {
        const end = () => {
          aborted.push(call.tool);
          resolve(failure('cancelled', 'Cancelled.'));
        };
        if (call.signal.aborted) end();
        else call.signal.addEventListener('abort', end);
      }),
    /** Answers after a while, whatever happens meanwhile. */
    later: ({ ms }) => new Promise((resolve) => setTimeout(() => resolve(words('late')), Number(ms))),
    steps: async ({ count, hold }, call) => {
      const released = new Promise<void>((resolve) => releases.add(resolve));
      for (let step = 1; step <= Number(count); step += 1) {
        call.progress?.(step, Number(count), `step ${step}`);
        await new Promise(setImmediate);
      }
      if (hold) await released;
      return words('done');
    },
    /** Lets the steps that are held go on to their answer. */
    release: () => {
      for (const release of releases) release();
      releases.clear();
      return words('released');
    },
    size: ({ text }) => words(String(String(text).length)),
    large: ({ length }) => words('x'.repeat(Number(length))),
    boom: () => {
      throw new Error('secret words of a library');
    },
    /** Needs a person's yes. */
    guarded: async (_input, call) => {
      const question = { approvalId: 'a1', message: 'Delete everything?', state: 'state-1' };
      if (call.answer) {
        if (call.questionState !== 'state-1') return failure('denied', 'Wrong state.');
        return words(`${call.answer.action} ${call.answer.scope ?? ''}`.trim());
      }
      if (call.elicit) {
        const answer = await call.elicit(question);
        return words(`${answer.action} ${answer.scope ?? ''}`.trim());
      }
      return call.canRetry ? { kind: 'question', question } : failure('denied', 'Nobody can be asked.');
    },
  };
}

function fixtureTool(name: string, schema: JsonSchema = { type: 'object' }): Tool {
  return {
    name,
    toolset: 'fixture',
    category: 'fixture',
    title: { en: name, ja: name },
    description: { en: `The fixture ${name}.`, ja: name },
    permission: 'unauthenticated',
    agentsOnly: false,
    unlisted: false,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    uses: [],
    inputSchema: () => schema,
    outputSchema: () =>
      name === 'echo'
        ? { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
        : undefined,
    example: {},
    secrets: [],
    check: (input) => ({ ok: true, input }),
    risk: async () => ({}),
    run: () => Promise.reject(new Error('The gateway runs fixtures itself.')),
  };
}
