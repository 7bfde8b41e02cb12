import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCheckpoint } from '../../src/checkpoint/open-checkpoint.ts';
import { loadSettings } from '../../src/config/load.ts';

/** What came of a step here. */
export interface Served {
  /** None where it was refused. */
  readonly code: number | undefined;
  readonly words: string;
  readonly questions: number;
}

/** One session of the tool `bash` on a folder, as the profile `coding` serves it; whoever is asked agrees. */
export async function openServed(folder: string, base: string, process_: Readonly<Record<string, unknown>>) {
  const state = mkdtempSync(join(base, 'state-'));
  const config = join(state, 'sekisho.jsonc');
  const network = ['npm', 'pypi', 'crates', ...((process_.network as string[] | undefined) ?? [])];
  writeFileSync(config, JSON.stringify({ profile: 'coding', process: { ...process_, network } }));
  const settings = loadSettings({ root: folder, config, state }, process.env, folder);
  const checkpoint = await openCheckpoint(settings);
  let questions = 0;

  const call = (tool: string, input: object) =>
    checkpoint.gateway.call({
      tool,
      input,
      arrival: { transport: 'stdio', connectionId: 'replay' },
      signal: new AbortController().signal,
      elicit: async () => {
        questions++;
        return { action: 'accept' };
      },
    });

  async function run(command: string): Promise<Served> {
    const asked = questions;
    let reply = await call('bash', { command });
    const words: string[] = [];
    for (;;) {
      words.push(reply.kind === 'error' ? reply.text : wordsOf(reply));
      const state = reply.kind === 'output' ? reply.structured : undefined;
      const code = state?.exit_code as number | undefined;
      const goesOn = state?.process_id !== undefined || state?.running === true;
      if (!goesOn || code !== undefined)
        return { code, words: words.join('\n'), questions: questions - asked };
      const { next_cursor: cursor } = state as { next_cursor: number };
      const id = (state?.process_id as string | undefined) ?? lastId;
      lastId = id;
      reply = await call('bash_output', { process_id: id, cursor, wait: 45 });
    }
  }
  let lastId = '';

  return { run, [Symbol.asyncDispose]: () => checkpoint.close() };
}

function wordsOf(reply: { readonly kind: string; readonly content?: readonly object[] }): string {
  return (reply.content ?? []).map((block) => ('text' in block ? String(block.text) : '')).join('\n');
}
