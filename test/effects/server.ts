/* A server of its own process: does what lines of its input ask for, as they come, and answers each with a line. */
import { createInterface } from 'node:readline';
import { openCheckpoint } from '../../src/checkpoint/open-checkpoint.ts';
import { loadSettings } from '../../src/config/load.ts';
import type { Asked } from './servers.ts';

const [root = '', state = ''] = process.argv.slice(2);
const checkpoint = await openCheckpoint(
  loadSettings({ root, state, profile: 'coding' }, { HOME: state, PATH: process.env.PATH }, root),
);

async function answer({ tool, input, session, undo }: Asked): Promise<object> {
  if (undo === undefined) {
    return checkpoint.gateway.call({
      tool: tool ?? '',
      input,
      arrival: { transport: 'stdio', connectionId: session ?? 'one' },
      signal: new AbortController().signal,
      elicit: async () => ({ action: 'accept' as const }),
    });
  }
  const { history } = await checkpoint.store();
  const entry = (await history.list({ at: { root, path: undo }, limit: 100 })).at(-1);
  const { folder } = await checkpoint.rooms.workspace();
  const who = { principal: 'person', sessionId: 'undo', tool: 'undo', auditId: '' };
  const room = await checkpoint.rooms.history();
  const steps = await room.undo({ auditId: entry?.auditId ?? '' }, { folders: [folder], who, force: false });
  return { steps: steps.map(({ entry: { path }, outcome }) => `${outcome} ${path}`) };
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, ...asked } = JSON.parse(line) as Asked & { readonly id: number };
  void answer(asked).then((said) => process.stdout.write(`${JSON.stringify({ id, said })}\n`));
}
await checkpoint.close();
