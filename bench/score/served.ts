import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startServer } from '../client.ts';
import { sekisho } from '../world.ts';
import type { StandInTool } from './stand-in.ts';

const standIn = join(import.meta.dirname, 'stand-in.ts');

/** What came of a call. */
export interface Came {
  /** `ran`: the tool was begun; a web page that could not be reached was tried. */
  readonly what: 'ran' | 'asked' | 'refused';
  /** Its text, cleaned of nothing. */
  readonly words: string;
  /** Was the model told that the text gives orders? */
  readonly isTold: boolean;
}

/** A server beside ours: its tools, and its settings in our configuration. */
interface StandIn {
  readonly tools: readonly StandInTool[];
  readonly settings?: object | undefined;
}

/** Beside the tools of a case: once it is shown, what is not shown is held back. */
const ready: StandInTool = { name: 'ready', description: 'Says that the server is ready.' };

/** The built server over stdio, in a session of its own, with the servers that a case speaks of behind it. */
export async function openServed(
  servers: Readonly<Record<string, StandIn>>,
  config: object = {},
): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-score-'));
  mkdirSync(join(folder, 'root'));
  const served = await openIn(folder, servers, config);
  return {
    ...served,
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function openIn(
  folder: string,
  servers: Readonly<Record<string, StandIn>>,
  config: object,
): Promise<Served> {
  const root = join(folder, 'root');
  const logOf = (name: string) => join(folder, `${name}.log`);
  const fileOf = (name: string) => join(folder, `${name}.json`);
  const entries = Object.entries(servers).map(([name, { tools, settings }]) => {
    if (!existsSync(fileOf(name))) writeFileSync(fileOf(name), JSON.stringify([...tools, ready]));
    const args = [standIn, fileOf(name), logOf(name)];
    return [
      name,
      {
        command: process.execPath,
        args,
        sandbox: 'off',
        folders: [import.meta.dirname, folder],
        ...settings,
      },
    ];
  });
  const configFile = join(folder, 'sekisho.jsonc');
  const given = {
    toolsets: ['agent-cli', 'assistant'],
    mcpServers: Object.fromEntries(entries),
    approval: { waitMs: 1 },
    ...config,
  };
  writeFileSync(configFile, JSON.stringify(given));
  const command = [process.execPath, sekisho, 'serve', '--root', root, '--config', configFile] as const;
  const client = await startServer(command, {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      XDG_STATE_HOME: join(folder, 'state'),
      LC_ALL: 'C.UTF-8',
      SEKISHO_RESIDENT: 'off',
    },
  });

  async function tools(): Promise<readonly string[]> {
    const listed = (await client.request('tools/list', {})) as {
      readonly tools: { readonly name: string }[];
    };
    return listed.tools.map(({ name }) => name);
  }

  async function call(name: string, input: unknown): Promise<Came> {
    const result = await client.request('tools/call', { name, arguments: input });
    const words = (result.content as { readonly text?: string }[])
      .map((block) => block.text ?? '')
      .join('\n');
    const { error } = (result.structuredContent ?? {}) as { readonly error?: { readonly code: string } };
    const isTold = words.includes('[Sekisho: ');
    if (result.isError !== true) return { what: 'ran', words, isTold };
    if (error?.code === 'approval_pending') return { what: 'asked', words, isTold };
    const tried = ['upstream_error', 'unavailable', 'timed_out', 'not_found', 'exit', undefined];
    return { what: tried.includes(error?.code) ? 'ran' : 'refused', words, isTold };
  }

  return {
    root,
    call,
    async offered() {
      for (;;) {
        const shown = await tools();
        if (Object.keys(servers).every((name) => shown.includes(`${name}__${ready.name}`))) return shown;
        await sleep(100);
      }
    },
    /** Changes a server's tools after they were approved. */
    rewrite: (name: string, changed: readonly StandInTool[]) =>
      writeFileSync(fileOf(name), JSON.stringify([...changed, ready])),
    /** The next session, by another process, with what this one left. */
    again: () => openIn(folder, servers, config),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

export interface Served extends AsyncDisposable {
  readonly root: string;
  /** The tools that are shown once every server is connected. */
  offered(): Promise<readonly string[]>;
  call(name: string, input: unknown): Promise<Came>;
  rewrite(name: string, changed: readonly StandInTool[]): void;
  again(): Promise<Served>;
}
