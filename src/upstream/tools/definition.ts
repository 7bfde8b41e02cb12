import { createHash } from 'node:crypto';

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

/** SHA-256 of a definition in a canonical form with sorted keys, so that only real changes count. */
export function definitionDigest(tool: RemoteTool): string {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  return sha256(canonical({ name, title, description, inputSchema, outputSchema, annotations }));
}

/** The digest of a set of tools, in any order. */
export function setDigest(digests: readonly string[]): string {
  return sha256(digests.toSorted().join('\n'));
}

function sha256(words: string): string {
  return createHash('sha256').update(words).digest('hex');
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`);
  return `{${members.join(',')}}`;
}
