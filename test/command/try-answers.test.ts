import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openConsole } from '../console/console-world.ts';
import { needs, sandbox } from '../support/needs.ts';
import { errorOf, openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';
import { runCommand, startFile } from '../support/run-command.ts';
import { treeOf } from '../support/tree-of.ts';

const rules = [{ tool: 'bash', decision: 'try' as const, because: 'looked at first' }];
const files = Object.fromEntries(
  Array.from({ length: 21 }, (_, index) => [`old/${index}.txt`, `${index}\n`]),
);
const coding = { files: { ...files, 'a.txt': 'one\n' }, flags: { profile: 'coding' }, config: { rules } };
const command = 'rm old/*.txt; echo two > a.txt';
type Store = Awaited<ReturnType<Awaited<ReturnType<typeof openTestCheckpoint>>['checkpoint']['store']>>;

async function questionIn({ approvals }: Store) {
  for (;;) {
    const [question] = await approvals.list('pending', Date.now());
    if (question) return question;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('who answers for a trial', needs(sandbox('bubblewrap')), () => {
  test.each([
    ['legacy' as const, 'accept' as const],
    ['legacy' as const, 'decline' as const],
    [{ pin: '2026-07-28' }, 'accept' as const],
    [{ pin: '2026-07-28' }, 'decline' as const],
  ])("the person behind the SDK's client, who sees the diff: %j %s", async (mode, action) => {
    const world = await openTestCheckpoint(coding);
    onTestFinished(world.close);
    const config = join(world.folder, 'client.jsonc');
    writeFileSync(config, JSON.stringify({ profile: 'coding', rules }));
    const client = new Client(
      { name: 'sdk', version: '1' },
      { versionNegotiation: { mode }, capabilities: { elicitation: {} } },
    );
    onTestFinished(() => client.close());
    const asked: string[] = [];
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params.message);
      // A person reads.
      await new Promise((resolve) => setTimeout(resolve, 1600));
      return action === 'accept' ? { action, content: { scope: 'once' } } : { action };
    });
    const args = [
      startFile,
      'serve',
      '--root',
      world.root,
      '--state',
      join(world.folder, 'other'),
      '--config',
      config,
    ];
    await client.connect(new StdioClientTransport({ command: process.execPath, args }));
    const before = treeOf(world.root);
    const reply = await client.callTool({ name: 'bash', arguments: { command } });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatch(/^deletes 21 files, changes 1: rm old/);
    expect(asked[0]).toContain('\n-one\n+two');
    expect(reply.isError === true).toBe(action === 'decline');
    if (action === 'decline') expect(treeOf(world.root)).toEqual(before);
    else expect(treeOf(world.root)).toEqual({ 'a.txt': '644 two\n', old: '755/' });
  });

  test.each(['once', 'deny'])('the console, with the diff beside the question: %s', async (answer) => {
    const world = await openConsole(coding);
    const cookie = await world.enter();
    const before = treeOf(world.root);
    const reply = world.call('bash', { command });
    const question = await questionIn(world.store);
    const page = await (await world.get('/approvals', cookie)).text();
    expect(page).toContain('deletes 21 files, changes 1');
    expect(page).toMatch(/<pre class="diff"[^>]*>.*<span class="minus">-one\n<\/span>/s);
    await world.submit(`/approvals/${question.id}`, cookie, { answer }, '/approvals');
    if (answer === 'once') {
      outputOf(await reply);
      expect(treeOf(world.root)).toEqual({ 'a.txt': '644 two\n', old: '755/' });
    } else {
      expect(errorOf(await reply).code).toBe('denied');
      expect(treeOf(world.root)).toEqual(before);
    }
  });

  test.each([
    ['yes', []],
    ['no', ['--deny']],
  ])('`sekisho approve` at a terminal: %s', async (answer, flags) => {
    await using world = await openTestCheckpoint(coding);
    const before = treeOf(world.root);
    const reply = world.call('bash', { command });
    const { id } = await questionIn(await world.checkpoint.store());
    const here = ['--root', world.root, '--state', join(world.folder, 'state')];
    const shown = await runCommand(['approve', id, '--show', ...here], world.root, { HOME: world.folder });
    expect(shown.stdout).toContain('-one\n');
    expect(
      await runCommand(['approve', id, ...flags, ...here], world.root, { HOME: world.folder }),
    ).toMatchObject({ code: 0 });
    if (answer === 'yes') {
      outputOf(await reply);
      expect(treeOf(world.root)).toEqual({ 'a.txt': '644 two\n', old: '755/' });
    } else {
      expect(errorOf(await reply).code).toBe('denied');
      expect(treeOf(world.root)).toEqual(before);
    }
  });
});
