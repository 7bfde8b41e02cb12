import { fileURLToPath } from 'node:url';
import { isObject, type Params } from './jsonrpc.ts';

/** Sends our request to the client; rejects if the signal aborts first. */
export type AskClient = (method: string, params: Params, signal: AbortSignal) => Promise<unknown>;

/** A client with roots that does not answer in this time continues without them. */
const answerMs = 2_000;
const mostRoots = 100;

/**
 * The folders that the client works in, as it states them (MCP 2025-11-25, Roots), the main one first; empty if it does
 * not answer in time or names no local folders.
 */
export async function rootsOfClient(ask: AskClient): Promise<readonly string[]> {
  const answer = await ask('roots/list', {}, AbortSignal.timeout(answerMs)).catch(() => undefined);
  const roots = isObject(answer) && Array.isArray(answer.roots) ? answer.roots.slice(0, mostRoots) : [];
  return [...new Set(roots.flatMap((root) => (isObject(root) ? pathOf(root.uri) : [])))];
}

/** Qwen Code names its process's folder as root, but starts the server in the right one. */
export function namesItsRoots(capabilities: Params, client: string | undefined): boolean {
  return isObject(capabilities.roots) && client?.startsWith('qwen-cli-mcp-client') !== true;
}

function pathOf(uri: unknown): string[] {
  if (typeof uri !== 'string' || !uri.startsWith('file:')) return [];
  try {
    const path = fileURLToPath(uri);
    return path.includes('\0') ? [] : [path];
  } catch {
    // A host name, or an invalid percent encoding.
    return [];
  }
}
