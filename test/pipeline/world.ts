import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openSandbox } from '../../src/command/sandbox/sandbox.ts';
import type { LoggedWrite } from '../../src/contract/capabilities/mirror.ts';
import { ToolError } from '../../src/contract/error.ts';
import { openWorkspace } from '../../src/files/workspace.ts';
import { openPipelines, type PipelinesOptions } from '../../src/pipeline/open.ts';
import { verifyMirrors } from '../../src/pipeline/records/verify.ts';
import { createPipelineToolset } from '../../src/tools/pipeline/index.ts';

export interface WorldOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly sandbox?: 'required' | 'off';
  readonly extended?: boolean;
  readonly pipelines?: Partial<PipelinesOptions>;
}

// biome-ignore lint/suspicious/noExplicitAny: replies are looked at field by field, as a client does.
export type Reply = any;

/** A workspace with files, the pipeline's tools over it, and real processes. */
export async function openWorld(options: WorldOptions = {}) {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-pipe-')));
  const root = join(top, 'work');
  mkdirSync(root);
  for (const [path, content] of Object.entries(options.files ?? {})) put(root, path, content);
  const workspace = openWorkspace({ roots: [{ path: root, writable: true }] });
  const sandbox = openSandbox({
    roots: [{ hostPath: root, writable: true }],
    sandbox: options.sandbox ?? 'off',
    serverEnvironment: process.env,
  });
  const open = () =>
    openPipelines({
      folder: workspace.folder,
      stateFolder: join(top, 'state'),
      stages: () => sandbox.stages(),
      ...options.pipelines,
    });
  let room = await open();
  const { tools } = createPipelineToolset({ extended: options.extended ?? false });

  async function call(
    name: string,
    input: Record<string, unknown>,
    { session = 's', signal = new AbortController().signal }: { session?: string; signal?: AbortSignal } = {},
  ): Promise<Reply> {
    const tool = tools.find((candidate) => candidate.name === name);
    const checked = tool?.check(input);
    if (!tool || !checked?.ok) return { error: { code: 'invalid_parameter' } };
    const context = {
      pipelines: room.forSession(session),
      signal,
      locale: 'en',
      replyBytes: 30_000,
      audit() {},
      meta() {},
      progress() {},
    };
    try {
      // The road's own work, without the road.
      return (await tool.run(checked.input, context as never)).structured;
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      return {
        error: error.wire ?? { code: error.code, message: error.message },
        runs: error.details?.suggestion_runs,
      };
    }
  }

  return {
    root,
    top,
    call,
    pipe: (command: string, more: Record<string, unknown> = {}, as: Parameters<typeof call>[2] = {}) =>
      call('shelpa_pipe', { command, ...more }, as),
    put: (path: string, content: string) => put(root, path, content),
    read: (path: string) => readFileSync(join(root, path), 'utf8'),
    hash: () => hashOf(root),
    verify: (logged: readonly LoggedWrite[] = []) => verifyMirrors([root], logged),
    room: () => room,
    async reopen() {
      await room.close();
      room = await open();
    },
    async close() {
      await room.close();
      await sandbox.close();
      workspace.close();
      rmSync(top, { recursive: true, force: true });
    },
  };
}

export type World = Awaited<ReturnType<typeof openWorld>>;

function put(root: string, path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

/** Every name, kind and byte below a folder, as one digest. */
export function hashOf(folder: string): string {
  const hash = createHash('sha256');
  const visit = (path: string): void => {
    for (const name of readdirSync(path).sort()) {
      const inside = join(path, name);
      const stat = lstatSync(inside);
      hash.update(`${inside}\0${stat.mode}\0`);
      if (stat.isDirectory()) visit(inside);
      else if (stat.isSymbolicLink()) hash.update(readlinkSync(inside));
      else if (stat.isFile()) hash.update(readFileSync(inside));
    }
  };
  visit(folder);
  return hash.digest('hex');
}
