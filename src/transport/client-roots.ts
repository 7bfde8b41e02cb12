import { fileURLToPath } from 'node:url';
import { isObject, type Params } from './jsonrpc.ts';

/** Asks the client a request of ours; rejects when the signal aborts first. */
export type AskClient = (method: string, params: Params, signal: AbortSignal) => Promise<unknown>;

/** A client that declared roots and does not name them within this time goes on without. */
const answerMs = 2_000;
const mostRoots = 100;

/**
 * The folders that a client works in by its own words (MCP 2025-11-25, Roots), its main one first; none where it does not
 * answer in time or names something else than local folders.
 */
export async function rootsOfClient(ask: AskClient): Promise<readonly string[]> {
  const answer = await ask('roots/list', {}, AbortSignal.timeout(answerMs)).catch(() => undefined);
  const roots = isObject(answer) && Array.isArray(answer.roots) ? answer.roots.slice(0, mostRoots) : [];
  return [...new Set(roots.flatMap((root) => (isObject(root) ? pathOf(root.uri) : [])))];
}

/** Qwen Code names the folder of its agent's process, and starts the server in the right one. */
export function namesItsRoots(capabilities: Params, client: string | undefined): boolean {
  return isObject(capabilities.roots) && client?.startsWith('qwen-cli-mcp-client') !== true;
}

function pathOf(uri: unknown): string[] {
  if (typeof uri !== 'string' || !uri.startsWith('file:')) return [];
  try {
    const path = fileURLToPath(uri);
    return path.includes('\0') ? [] : [path];
  } catch {
    // A host name, or percent signs that are no encoding.
    return [];
  }
}
