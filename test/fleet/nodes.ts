import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { onTestFinished } from 'vitest';
import type { ConfigFile } from '../../src/config/schema.ts';
import type { Call } from '../../src/contract/call.ts';
import { openTestCheckpoint, remote } from '../support/open-test-checkpoint.ts';

/** A server of a fleet: a checkpoint of its own on a store that others share. */
export interface TestNode {
  readonly world: Awaited<ReturnType<typeof openTestCheckpoint>>;
  /** By somebody who comes over HTTP with a token of theirs. */
  call(
    tool: string,
    input: unknown,
    more?: Partial<Call>,
  ): ReturnType<Awaited<ReturnType<typeof openTestCheckpoint>>['call']>;
  /** From now on the others think that it is gone. */
  fallSilent(): Promise<void>;
}

/** Two servers with folders of their own, or one folder for both, on one database. */
export async function openTwoNodes(
  url: string,
  config: ConfigFile = {},
  { sharesRoot = false } = {},
): Promise<readonly [TestNode, TestNode]> {
  const whole = {
    mode: 'full-access' as const,
    toolsets: ['agent-cli', 'assistant'],
    assistant: { layout: 'workspace' as const },
    ...config,
    store: { url },
  } as ConfigFile;
  const first = await openTestCheckpoint({ config: whole });
  const second = await openTestCheckpoint({
    config: whole,
    ...(sharesRoot && { flags: { root: first.root } }),
  });
  const store = await first.checkpoint.store();
  // Makes the key that both have.
  await store.audit.verify();
  const states = [first, second].map(({ folder }) => join(folder, 'state'));
  mkdirSync(states[1] ?? '', { recursive: true });
  copyFileSync(join(states[0] ?? '', 'audit.key'), join(states[1] ?? '', 'audit.key'));
  const { token } = await store.tokens.create({ user: 'hana' });
  const nodes = await Promise.all([first, second].map((world) => nodeOf(world, token)));
  return nodes as unknown as readonly [TestNode, TestNode];
}

async function nodeOf(world: TestNode['world'], token: string): Promise<TestNode> {
  onTestFinished(() => world.close());
  // As serving does.
  await world.checkpoint.gateway.list({ transport: 'cli' });
  const { nodes, relay, engine } = await world.checkpoint.store();
  const state = {
    id: relay.node,
    host: 'here',
    address: '127.0.0.1:7040',
    version: '0.0.0',
    pid: process.pid,
    startedAtMs: Date.now(),
    isDraining: false,
    calls: 0,
    load: 0,
    residentBytes: 0,
    roots: world.settings.roots.map(({ path }) => path),
  };
  let beat = nodes.beat(state);
  await beat;
  // However slow this machine is.
  const beating = setInterval(() => {
    beat = nodes.beat(state).catch(() => {});
  }, 2000);
  onTestFinished(() => clearInterval(beating));
  return {
    world,
    call: (tool, input, more) => world.call(tool, input, { arrival: remote(token), ...more }),
    async fallSilent() {
      clearInterval(beating);
      await beat;
      const { db } = await engine();
      await sql`update nodes set seen_at_ms = 0 where id = ${relay.node}`.execute(db);
    },
  };
}
