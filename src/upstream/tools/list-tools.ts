import { ToolError } from '../../contract/error.ts';
import { isRecord } from '../../ground/is-record.ts';
import type { RemoteRequest } from '../connection/remote.ts';
import { definitionOf, type RemoteTool } from './definition.ts';
import { isTooDeep } from './depth.ts';

/** More is not examined: an endless list is an attack, not an offer. A full one is compared in a tenth of a second. */
const maxTools = 1000;
const maxPages = 64;
const maxDefinitionChars = 256 * 1024;
const maxListChars = 1_000_000;

/**
 * All tools of a server, page by page, each with only the parts that a person approves. Malformed and very large
 * definitions are left out. Throws `too_large` for a list that no person could review.
 */
export async function listTools(
  request: (request: RemoteRequest) => Promise<unknown>,
  timeoutMs: number,
): Promise<readonly RemoteTool[]> {
  const tools: RemoteTool[] = [];
  let chars = 0;
  let cursor: string | undefined;
  const signal = AbortSignal.timeout(timeoutMs);
  for (let page = 0; page < maxPages; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const result = Object(await request({ method: 'tools/list', params, signal, timeoutMs })) as {
      readonly tools?: unknown;
      readonly nextCursor?: unknown;
    };
    for (const listed of Array.isArray(result.tools) ? result.tools : []) {
      const tool = readTool(listed);
      if (!tool) continue;
      const size = JSON.stringify(tool).length;
      if (size > maxDefinitionChars) continue;
      chars += size;
      if (chars > maxListChars)
        throw new ToolError(
          'too_large',
          'The definitions of its tools are too large to review.',
          'ツールの定義が大きすぎて確認できません。',
        );
      tools.push(tool);
      if (tools.length === maxTools) return tools;
    }
    if (typeof result.nextCursor !== 'string') return tools;
    cursor = result.nextCursor;
  }
  return tools;
}

function readTool(value: unknown): RemoteTool | undefined {
  if (!isRecord(value) || typeof value.name !== 'string' || value.name === '') return undefined;
  const { name, title, description, inputSchema, outputSchema, annotations } = value;
  if (isTooDeep([inputSchema, outputSchema, annotations])) return undefined;
  return definitionOf({
    name,
    title: typeof title === 'string' ? title : undefined,
    description: typeof description === 'string' ? description : undefined,
    inputSchema: isRecord(inputSchema) ? inputSchema : { type: 'object' },
    outputSchema: isRecord(outputSchema) ? outputSchema : undefined,
    annotations: isRecord(annotations) ? annotations : undefined,
  });
}
