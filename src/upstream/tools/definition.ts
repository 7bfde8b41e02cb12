import { hash } from 'node:crypto';
import * as z from 'zod';
import { digestOf } from '../../ground/digest.ts';

const fields = z.record(z.string(), z.unknown());

export const remoteTool = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: fields,
  outputSchema: fields.optional(),
  annotations: fields.optional(),
});

/** A tool as a server defines it. All of its text is untrusted. */
export type RemoteTool = z.output<typeof remoteTool>;

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
