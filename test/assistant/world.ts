import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Caller } from '../../src/contract/caller.ts';
import type { Capabilities, CapabilityName } from '../../src/contract/capabilities/capabilities.ts';
import type { ToolContext } from '../../src/contract/tool/tool.ts';
import { createDesk } from '../../src/files/desk/desk.ts';
import { openWorkspace } from '../../src/files/workspace.ts';
import { createSearch } from '../../src/search/search.ts';
import { createAssistantToolset } from '../../src/tools/assistant/index.ts';

export const local: Caller = { kind: 'local', principal: 'local', sessionId: 's1', remote: false };

/** A workspace on the disk with the files of a literal, and the assistant's tools over it. */
export function openWorld(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  options: {
    readonly layout?: 'output' | 'workspace';
    readonly caller?: Caller;
    readonly lend?: Partial<Capabilities>;
    readonly moreRoots?: readonly string[];
    readonly timeZone?: string;
    /** How long the caller still waits. */
    readonly patienceMs?: number;
  } = {},
) {
  const root = mkdtempSync(join(tmpdir(), 'assistant-'));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  const workspace = openWorkspace({
    roots: [root, ...(options.moreRoots ?? [])].map((path) => ({ path, writable: true })),
  });
  const desks = createDesk({
    layout: options.layout ?? 'workspace',
    timeZone: options.timeZone ?? 'Asia/Tokyo',
    clock: () => Date.parse('2026-02-20T20:00:00Z'),
    folder: workspace.folder,
  });
  const searches = createSearch();
  const toolset = createAssistantToolset({ timeZone: options.timeZone ?? 'Asia/Tokyo' });

  async function call(
    name: string,
    input: Readonly<Record<string, unknown>>,
    as: { readonly caller?: Caller; readonly signal?: AbortSignal } = {},
  ): Promise<Record<string, unknown> & { readonly text: string; readonly further: string }> {
    const tool = toolset.tools.find((one) => one.name === name);
    if (!tool) throw new Error(`no tool ${name}`);
    const checked = tool.check(input);
    if (!checked.ok) throw new Error(`${checked.field} ${checked.message.en}`);
    const caller = as.caller ?? options.caller ?? local;
    const lent: Partial<Capabilities> = {
      desk: desks(caller),
      search: searches(caller.sessionId),
      ...options.lend,
    };
    const context = {
      caller,
      signal: as.signal ?? new AbortController().signal,
      locale: 'en',
      replyBytes: 30_000,
      progress() {},
      audit() {},
      meta() {},
      ...lent,
    } as unknown as ToolContext<CapabilityName>;
    const judged = (await tool.risk?.(checked.input, context)) ?? {};
    const output = await tool.run(checked.input, {
      ...context,
      judged,
      patienceMs: options.patienceMs ?? 30_000,
    });
    const [text = '', ...further] = output
      .content('en')
      .map((block) => (block.type === 'text' ? block.text : ''));
    return { ...output.structured, text, further: further.join('\n') };
  }

  return {
    root,
    call,
    folder: workspace.folder,
    close() {
      workspace.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
