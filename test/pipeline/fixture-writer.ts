import { openWorkspace } from '../../src/files/workspace.ts';
import { openPipelines } from '../../src/pipeline/open.ts';

/** Writes without end, to be killed: an overwrite and an append in turn, small and large. */
const [root = '', stateFolder = '', round = ''] = process.argv.slice(2);
const workspace = openWorkspace({ roots: [{ path: root, writable: true }] });
const room = await openPipelines({
  folder: workspace.folder,
  stateFolder,
  stages: () => Promise.reject(new Error('nothing is started here')),
});
const session = room.forSession('writer');
for (let count = 0; ; count++) {
  const content = `${round} ${count} ${'x'.repeat((count * 7919) % 200_000)}\n`;
  const order = {
    content,
    folder: session.workingFolder(),
    confirmOversize: false,
    command: 'fixture',
    signal: new AbortController().signal,
  };
  await session.write({ ...order, path: 'over.txt', mode: 'overwrite' });
  await session.write({ ...order, path: 'log.txt', mode: 'append' });
  if (count === 0) process.send?.('writing');
}
