import { hash } from 'node:crypto';
import { digestOf } from '../../ground/digest.ts';

/** A tool as a server defines it. All of its text is untrusted. */
export interface RemoteTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
}

/** The parts of a definition that a person approves, without anything else that the server may have sent. */
export function definitionOf(tool: RemoteTool): RemoteTool {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  return JSON.parse(
    JSON.stringify({ name, title, description, inputSchema, outputSchema, annotations }),
  ) as RemoteTool;
}

/** The digest of a definition, whatever the order of its keys, so that only real changes count. */
export function definitionDigest(tool: RemoteTool): string {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  return digestOf({ name, title, description, inputSchema, outputSchema, annotations });
}

/** The digest of a set of tools, in any order. */
export function setDigest(digests: readonly string[]): string {
  return hash('sha256', digests.toSorted().join('\n'));
}
