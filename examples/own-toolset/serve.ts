/** An MCP server over stdio with your own tools beside Sekisho's: `node serve.ts FOLDER`. */
import { loadSettings, openCheckpoint, serveStdio } from 'sekisho';
import { createReadingsToolset } from './readings.ts';

const readings = new Map([
  ['roof', 21.5],
  ['cellar', 12],
]);

const checkpoint = await openCheckpoint(
  loadSettings({ root: process.argv[2] ?? '.', toolsets: ['agent-cli'] }),
  {
    toolsets: [createReadingsToolset(readings)],
  },
);
const { closed } = await serveStdio(checkpoint);
await closed;
await checkpoint.close();
