import { createHash } from 'node:crypto';

/** Models take names of 64 characters, and clients put `mcp__sekisho__` in front. */
const maxNameChars = 64 - 'mcp__sekisho__'.length;

/**
 * Shown names of a server's tools, by remote name. They are looked up, never parsed. Unsupported characters become `_`;
 * a name that is then too long or not unique gets a digest of its remote name. Names are always unique: a tool without
 * a free name is not shown.
 */
export function shownNames(server: string, remoteNames: readonly string[]): ReadonlyMap<string, string> {
  const plain = new Map(remoteNames.map((name) => [name, plainName(server, name)]));
  const counts = new Map<string, number>();
  for (const name of plain.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
  const shown = new Map<string, string>();
  const taken = new Set<string>();
  for (const [remote, name] of plain) {
    const isExact = name === `${server}__${remote}`;
    const isAlone = counts.get(name) === 1 || isExact;
    const chosen = isAlone && name.length <= maxNameChars ? name : withDigest(name, remote);
    // Only a crafted name gets here: one that equals another tool's name with its digest.
    if (taken.has(chosen)) continue;
    taken.add(chosen);
    shown.set(remote, chosen);
  }
  return shown;
}

function plainName(server: string, remote: string): string {
  return `${server}__${remote.replace(/[^A-Za-z0-9_-]/g, '_')}`;
}

function withDigest(name: string, remote: string): string {
  const digest = createHash('sha256').update(remote).digest('hex').slice(0, 8);
  return `${name.slice(0, maxNameChars - 9)}_${digest}`;
}
