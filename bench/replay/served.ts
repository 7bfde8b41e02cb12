import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { sekisho } from '../world.ts';

/** What came of a step here. */
export interface Served {
  /** None where it was refused; 0 of a tool that did its work. */
  readonly code: number | undefined;
  readonly words: string;
  /** What it printed, on both streams. */
  readonly printed: string;
  readonly questions: readonly string[];
}

export interface Sent {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

/** In place of a process_id: that of the last command in the background. */
export const lastStarted = 'the last one';

/** A client of the built server on a folder, in the profile `coding`; whoever is asked agrees. */
export async function openServed(folder: string, base: string, process_: Readonly<Record<string, unknown>>) {
  const state = mkdtempSync(join(base, 'state-'));
  const config = join(state, 'sekisho.jsonc');
  const network = ['registries', ...((process_.network as string[] | undefined) ?? [])];
  writeFileSync(config, JSON.stringify({ profile: 'coding', process: { ...process_, network } }));
  const client = new Client(
    { name: 'replay', version: '1' },
    { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { form: {} } } },
  );
  let questions: string[] = [];
  let last: string | undefined;
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    questions.push(params.message);
    return { action: 'accept', content: { scope: 'once' } };
  });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [sekisho, 'serve', '--alone', '--root', folder, '--state', state, '--config', config],
      cwd: folder,
      env: process.env as Record<string, string>,
      stderr: 'ignore',
    }),
  );

  async function call(sent: Sent) {
    const result = await client.callTool(sent, { timeout: 600_000 });
    const words = (result.content as { text?: string }[]).map(({ text = '' }) => text).join('\n');
    return { words, isError: result.isError === true, state: Object(result.structuredContent) };
  }

  async function run(step: Sent): Promise<Served> {
    questions = [];
    const words: string[] = [];
    let printed = '';
    const isOfLast = step.arguments.process_id === lastStarted;
    let reply = await call(isOfLast ? { ...step, arguments: { ...step.arguments, process_id: last } } : step);
    const id = reply.state.process_id as string | undefined;
    if (step.arguments.background === true) last = id;
    for (;;) {
      const { running, exit_code, stdout = '', stderr = '', output = '', next_cursor: cursor } = reply.state;
      words.push(reply.words);
      printed += `${stdout}${output}${stderr}`;
      const isHandedOver = id !== undefined && cursor !== undefined && exit_code === undefined;
      if (reply.isError || running === false || !isHandedOver) {
        const done = reply.isError || reply.state.signal !== undefined ? undefined : 0;
        return { code: exit_code ?? done, words: words.join('\n'), printed, questions };
      }
      reply = await call({ name: 'bash_output', arguments: { process_id: id, cursor, wait: 45 } });
    }
  }

  return { run, [Symbol.asyncDispose]: () => client.close() };
}
