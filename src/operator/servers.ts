import { createTwoFilesPatch } from 'diff';
import type { Acts, ServerReview } from '../contract/people/operator.ts';
import type { LoginOptions, WithheldTool } from '../contract/upstream.ts';
import type { Perform } from './perform.ts';

/** Acts on proxied servers. An unknown name throws `not_found`. */
export interface ServerAdmin {
  pending(name: string): PendingServer | undefined;
  approve(name: string, digest: string): boolean;
  forget(name: string): void;
  logIn(name: string, options: LoginOptions): Promise<void>;
  logOut(name: string): Promise<'revoked' | 'forgotten' | 'none'>;
}

export interface PendingServer {
  readonly digest: string;
  readonly changes: readonly (WithheldTool & { readonly before?: unknown; readonly after: unknown })[];
  readonly removed: readonly string[];
}

/** A server's changes that wait for review, each as a diff of definitions. Not cleaned. */
export function reviewOf(servers: ServerAdmin, name: string): ServerReview | undefined {
  const pending = servers.pending(name);
  if (!pending) return undefined;
  const changes = pending.changes.map(({ before, after, ...held }) => {
    const patch = createTwoFilesPatch('approved', 'now', spell(before), spell(after), '', '');
    return { ...held, diff: patch.split('\n').slice(1).join('\n') };
  });
  return { digest: pending.digest, changes, removed: pending.removed };
}

function spell(tool: unknown): string {
  return tool === undefined ? '' : `${JSON.stringify(tool, null, 2)}\n`;
}

export function createServerActs(
  perform: Perform,
  servers: () => Promise<ServerAdmin>,
  allow: () => void,
): Pick<Acts, 'approveServer' | 'forgetServer' | 'logInServer' | 'logOutServer'> {
  return {
    approveServer: (name, digest) =>
      perform({ tool: 'sekisho server approve', arguments: { name, digest } }, async () => {
        allow();
        const approved = (await servers()).approve(name, digest);
        return { result: approved, code: approved ? undefined : 'conflict' };
      }),
    forgetServer: (name) =>
      perform({ tool: 'sekisho server forget', arguments: { name } }, async () => {
        allow();
        return { result: (await servers()).forget(name) };
      }),
    logInServer: (name, options) =>
      perform({ tool: 'sekisho server login', arguments: { name, scope: options.scope } }, async () => {
        allow();
        return { result: await (await servers()).logIn(name, options) };
      }),
    logOutServer: (name) =>
      perform({ tool: 'sekisho server logout', arguments: { name } }, async () => {
        allow();
        const outcome = await (await servers()).logOut(name);
        return { result: outcome, facts: { outcome }, code: outcome === 'none' ? 'not_found' : undefined };
      }),
  };
}
