/* Writes, or takes back, until it is killed. Says a dot for each change that was acknowledged. */
import { openCheckpoint } from '../../src/checkpoint/open-checkpoint.ts';
import { loadSettings } from '../../src/config/load.ts';

const [what, root = '', state = ''] = process.argv.slice(2);
const checkpoint = await openCheckpoint(
  loadSettings({ root, state, toolsets: ['agent-cli'] }, { HOME: state, PATH: process.env.PATH }, root),
);
const arrival = { transport: 'stdio', connectionId: 'killed' } as const;

if (what === 'write') {
  for (let round = 0; ; round++) {
    const path = round % 3 === 0 ? `new/${process.pid}/${round}.txt` : `${round % 5}.txt`;
    const content = `${process.pid} ${round}\n`.repeat(1 + (round % 7) * 500);
    await checkpoint.gateway.call({
      tool: 'file_write',
      input: { path, content, overwrite: true },
      arrival,
      signal: new AbortController().signal,
    });
    process.stdout.write('.');
  }
}
const history = await checkpoint.rooms.history();
const { folder } = await checkpoint.rooms.workspace();
await history.undo(
  { sessionId: 'killed' },
  {
    folders: [folder],
    who: { principal: 'person', sessionId: `undo-${process.pid}`, tool: 'undo', auditId: '' },
    force: false,
    tell: ({ outcome, entry }) =>
      process.stdout.write(outcome === 'undone' ? '.' : `${outcome} ${entry.path}\n`),
  },
);
await checkpoint.close();
