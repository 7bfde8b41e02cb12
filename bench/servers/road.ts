/** Prints what a call costs the processor on the road and without it: the same tool on the same file. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCheckpoint } from '../../src/checkpoint/open-checkpoint.ts';
import { loadTools } from '../../src/checkpoint/toolsets.ts';
import { loadSettings } from '../../src/config/load.ts';
import type { ToolContext } from '../../src/contract/tool/tool.ts';

const folder = mkdtempSync(join(tmpdir(), 'sekisho-bench-'));
const root = join(folder, 'root');
mkdirSync(root);
writeFileSync(join(root, 'a.txt'), '0123456789abcde\n'.repeat(256));
const settings = loadSettings({ root, state: join(folder, 'state') }, { HOME: folder }, root);
const checkpoint = await openCheckpoint(settings);
const input = { path: 'a.txt' };
const signal = new AbortController().signal;

const onRoad = async () => {
  const reply = await checkpoint.gateway.call({
    tool: 'file_read',
    input,
    arrival: { transport: 'stdio', connectionId: 'bench' },
    signal,
  });
  if (reply.kind !== 'output' || reply.isError) throw new Error('the call was refused');
};

const tool = (await loadTools(settings)).find(({ name }) => name === 'file_read');
const { folder: files } = await checkpoint.rooms.workspace();
const context = {
  files,
  signal,
  locale: 'en',
  progress() {},
  audit() {},
  meta() {},
} as unknown as ToolContext<'files'>;
const bare = async () => {
  const checked = tool?.check(input);
  if (!tool || !checked?.ok) throw new Error('the input was refused');
  const output = await tool.run(checked.input, context as never);
  output.content('en');
};

const costs: { onRoad: number[]; bare: number[] } = { onRoad: [], bare: [] };
for (let round = -3; round < 9; round++) {
  for (const [side, work] of [
    ['onRoad', onRoad],
    ['bare', bare],
  ] as const) {
    const us = await costOf(work);
    if (round >= 0) costs[side].push(us);
  }
}
await checkpoint.close();
rmSync(folder, { recursive: true, force: true });
const middle = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
process.stdout.write(JSON.stringify({ roadUs: middle(costs.onRoad), bareUs: middle(costs.bare) }));

async function costOf(work: () => Promise<void>): Promise<number> {
  const calls = 1000;
  const before = process.cpuUsage();
  for (let call = 0; call < calls; call++) await work();
  // What was batched belongs to its calls.
  await (await checkpoint.store()).audit.flush();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}
