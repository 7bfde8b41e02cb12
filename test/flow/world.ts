import type { FlowTool } from '../../src/contract/flow.ts';
import { createFlowSession } from '../../src/flow/session.ts';

/** A proxied tool; nothing is known of it but its name, and whether it only reads. */
export function toolNamed(name: string, readOnly: boolean, schema: Record<string, unknown> = {}): FlowTool {
  const [server] = name.split('__');
  return {
    name,
    server,
    annotations: { readOnly, destructive: !readOnly, idempotent: false, openWorld: true },
    inputSchema: () => schema,
    flow: 'ask',
  };
}

/** A tool of our own. */
export function ownTool(name: string, readOnly: boolean, openWorld = false): FlowTool {
  return {
    name,
    annotations: { readOnly, destructive: !readOnly, idempotent: false, openWorld },
    inputSchema: () => ({}),
  };
}

export const page = toolNamed('web__get', true);
export const mail = toolNamed('mail__send', false);

export function sessionOf(words?: string, carried?: Parameters<typeof createFlowSession>[0]) {
  const session = createFlowSession(carried);
  if (words !== undefined) session.says(words);
  return {
    session,
    /** Reads this, text or a record. */
    reads(what: unknown, input: unknown = {}, tool = page) {
      const text = typeof what === 'string' ? what : JSON.stringify(what);
      session.reads({ tool, input, texts: [text], atMs: Date.UTC(2026, 0, 5, 10, 2) });
    },
    /** The values that are asked about. */
    asked: (input: unknown, tool = mail) =>
      session.judge(tool, input)?.targets.map(({ value }) => value) ?? [],
  };
}
