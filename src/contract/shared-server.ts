import type { PublishedPort } from './capabilities/process.ts';

/** A server that a user's clients share, as `sekisho ps` and the console show it. */
export interface SharedServer {
  readonly pid: number;
  /** Its resident memory. */
  readonly bytes: number;
  readonly checkpoints: number;
  /** The clients' conversations that hooks are decided for. */
  readonly conversations: number;
  readonly sessions: readonly SharedSession[];
  /** The ports of commands that browsers reach. */
  readonly published: readonly PublishedPort[];
  /** The proxied servers that run for them. */
  readonly servers: readonly UsedServer[];
}

export interface SharedSession {
  readonly id: string;
  readonly client: string;
  readonly folder: string;
  readonly sinceMs: number;
}

export interface UsedServer {
  readonly name: string;
  /** The memory of its processes; undefined if it runs elsewhere. */
  readonly bytes: number | undefined;
  /** The sessions that may call it. */
  readonly sessions: readonly string[];
}
