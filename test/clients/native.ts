import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { clients } from './clients.ts';
import { type Conversation, follow } from './conversation.ts';
import { install } from './install.ts';
import { type ScriptedModel, startModel } from './model.ts';
import { type NativeClient, nativeClients } from './native-clients.ts';
import { deployment, type NativeStage, openNativeStage, prompt } from './native-stage.ts';
import { endGroup, until } from './world.ts';

/**
 * `npm run clients:native [NAME …]`: the shell that agents of npm bring along, behind our hooks as `init` writes them, each
 * with a model that follows a script. What is no ✓ says in words what was seen; a client that is not there is named.
 */
const wanted = process.argv.slice(2);
const model = await startModel();
let isFine = true;
for (const native of nativeClients) {
  const driver = clients.find(({ bin }) => bin === native.bin);
  if (!driver || (wanted.length > 0 && !wanted.includes(native.bin))) continue;
  const installed = install(driver);
  const seen = installed.ok ? await drive(native, installed.bin, model) : [];
  console.log(`${driver.name} ${installed.ok ? installed.version : `skipped: ${installed.why}`}`);
  for (const [what, found] of seen) console.log(`  ${what.padEnd(10)} ${found}`);
  isFine &&= seen.every(([, found]) => found === '✓');
}
await model.close();
process.exit(isFine ? 0 : 1);

type Seen = (readonly [what: string, found: string])[];

async function drive(native: NativeClient, bin: string, model: ScriptedModel): Promise<Seen> {
  const stage = await openNativeStage(native, model.url);
  const seen: Seen = [];
  try {
    const script = follow(converse(stage, native, seen), ({ input }) => native.shell(String(input.command)));
    model.follow(({ results }) => script(results));
    const running = stage.start(bin);
    const said = await Promise.race([running.ended, setTimeout(240_000, 'It did not end in 240 s.')]);
    await endGroup(running);
    if (seen.length < 6) seen.push(['all', `it ended early: ${said.slice(-400)}`]);
    seen.push(['cancelled', await cancel(stage, native, bin, model)]);
    seen.push(['undone', await undo(stage)]);
    return seen;
  } finally {
    stage.close();
  }
}

async function* converse(stage: NativeStage, native: NativeClient, seen: Seen): Conversation {
  const run = (command: string) => ({ tool: 'shell', input: { command } });
  const note = (what: string, isSo: boolean, result: string) =>
    seen.push([what, isSo ? '✓' : `got ${JSON.stringify(result.slice(0, 300))}`]);

  const allowed = yield run('cat small.txt && echo ours > made.txt');
  note('allowed', allowed.includes('one small text') && stage.has('made.txt'), allowed);

  note('prompt', stage.prompts() === prompt, stage.prompts());

  const outside = yield run(`cat ${stage.canary}; echo gone > ${stage.canary}`);
  const isWhole = readFileSync(stage.canary, 'utf8') === stage.secret;
  note('walls', isWhole && !outside.includes(stage.secret), outside);

  const denied = yield run('touch never');
  note('denied', denied.includes('Nobody does that.') && !stage.has('never'), denied);

  const answered = native.asks ? undefined : stage.approveNext();
  const asked = yield run(deployment);
  await answered;
  // Without a person its own prompt refuses.
  note('asked', native.asks ? !stage.has('live') : stage.has('live'), asked);

  const failing = yield run('ls no-such-file; exit 3');
  note('failing', failing.includes('no-such-file'), failing);
}

/** Ctrl-C while a command runs: nothing of it goes on. */
async function cancel(
  stage: NativeStage,
  native: NativeClient,
  bin: string,
  model: ScriptedModel,
): Promise<string> {
  const sleep = `sleep ${97_000 + Math.floor(Math.random() * 1000)}`;
  // Claude Code runs no command that only sleeps.
  model.follow(({ results }) =>
    results.length === 0 ? native.shell(`echo begun; ${sleep}`) : { text: 'done' },
  );
  const running = stage.start(bin);
  const isBegun = await until(() => isRunning(sleep) || undefined, 60_000);
  if (!isBegun) return 'the command never began';
  await setTimeout(500);
  if (running.child.pid !== undefined) process.kill(-running.child.pid, 'SIGINT');
  await setTimeout(300);
  if (running.child.exitCode === null && running.child.pid !== undefined) kill(-running.child.pid);
  await endGroup(running);
  const isGone = await until(() => !isRunning(sleep) || undefined, 15_000);
  return isGone ? '✓' : 'the command goes on';
}

async function undo(stage: NativeStage): Promise<string> {
  const said = await stage.sekisho('undo', '--since', '1h');
  return !stage.has('made.txt') && existsSync(stage.work) ? '✓' : `got ${JSON.stringify(said.slice(0, 300))}`;
}

function isRunning(command: string): boolean {
  return execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n').includes(command);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGINT');
  } catch {
    // It went in this moment.
  }
}
