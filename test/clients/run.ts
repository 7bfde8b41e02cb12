import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type ClientDriver, clients } from './clients.ts';
import { converse, fillWorkspace, follow, type Row } from './conversation.ts';
import { install } from './install.ts';
import { leave } from './leaving.ts';
import { type ScriptedModel, startModel } from './model.ts';
import { oursAmong, sayIn } from './names.ts';
import { table, writeTable } from './table.ts';
import { endGroup, openStage } from './world.ts';

/**
 * `npm run clients [NAME …]`: the newest agents of npm, without a person, each with a model that follows a script.
 * Prints the table of docs/clients.md; with `--write`, and all clients, puts it there.
 */
const [wanted, flags] = [process.argv.slice(2).filter((each) => !each.startsWith('-')), process.argv];
const chosen = clients.filter(
  ({ name, bin }) => wanted.length === 0 || wanted.includes(bin) || wanted.includes(name),
);
const model = await startModel();
const rows: Row[] = [];
for (const driver of chosen) {
  rows.push(await drive(driver, model));
  console.log(table([rows.at(-1) as Row], 'en'));
}
await model.close();
if (flags.includes('--write')) writeTable(rows);
process.exit(rows.every((row) => [...row.values()].every(isFine)) ? 0 : 1);

async function drive(driver: ClientDriver, model: ScriptedModel): Promise<Row> {
  const row: Row = new Map([['client', driver.name]]);
  const installed = install(driver);
  if (!installed.ok) return row.set('connect', installed.why);
  row.set('client', `${driver.name} ${installed.version}`);
  const { bin } = installed;

  const stage = openStage(model.url);
  fillWorkspace(stage.work);
  const say = follow(converse(stage, row), sayIn(model));
  model.follow((turn) => say(turn.results));
  const running = stage.start(driver, bin);
  const said = await Promise.race([running.ended, setTimeout(300_000, 'It did not end in 300 s.')]);
  await endGroup(running);
  // The newest revision has no handshake: each request says which one it speaks.
  const spoken = stage.wire().filter(({ line }) => /"result"|protocolVersion"/.test(line));
  const revision = /rotocolVersion"?:"([\d-]+)"/.exec(spoken.map(({ line }) => line).join('\n'))?.[1];
  row.set('connect', revision ?? `no handshake: ${JSON.stringify(said.slice(-200))}`);
  const ours = oursAmong(model);
  const bytes = ours.reduce((sum, { json }) => sum + Buffer.byteLength(json), 0);
  const has = (wanted: string) => model.turns[0]?.tools.some(({ name }) => name === wanted);
  const others = has('ToolSearch') ? ' (others by search)' : '';
  row.set('list', has('tool_search') ? '✓ (found by search)' : `✓ ${ours.length} tools, ${bytes} B${others}`);
  if (process.env.SEKISHO_CLIENTS_LOG) {
    const file = join(process.env.SEKISHO_CLIENTS_LOG, `${driver.bin}.json`);
    writeFileSync(file, JSON.stringify({ said, wire: stage.wire(), turns: model.turns }, null, 1));
  }
  stage.close();
  for (const how of ['cancel', 'interrupt'] as const) row.set(how, await leave(how, driver, bin, model));
  return row;
}

function isFine(cell: string): boolean {
  return !/got|not our|never|misses|goes on|cut|not installed|no handshake| of \d+ lines/.test(cell);
}
