import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PublishedPort } from '../../contract/capabilities/process.ts';
import { cleanLine } from '../../contract/text/clean-text.ts';
import { ServedPorts } from './served-ports.ts';
import type { Inside, PublishOptions, ServingCommand } from './serving-command.ts';

/** Publishes what the commands of a server listen on. */
export class Publisher {
  readonly #options: PublishOptions;
  readonly #published = new Set<PublishedPort>();

  constructor(options: PublishOptions) {
    this.#options = options;
  }

  /** Publishes the command's ports until it ends. `tell` gets lines for its output. */
  async follow(command: ServingCommand, tell: (line: string) => void): Promise<void> {
    const { ended, session } = command;
    const pause = (ms: number) => sleep(ms, true, { ref: false, signal: ended }).catch(() => false);
    let inside: Inside | undefined;
    // On a busy machine the sandbox takes a while, and before that there is nothing to open.
    for (let tries = 0; !inside && tries < mostTries && (await pause(freshPollMs)); tries++)
      inside = await command.open().catch(() => undefined);
    if (!inside) return;
    const beganMs = performance.now();
    const ports = new ServedPorts(command, inside, this.#options, {
      tell,
      enter: (port, outer) => {
        const url = `http://${hostOf(session.id)}:${outer}`;
        const words = cleanLine(command.words).slice(0, mostChars);
        const entry = { sessionId: session.id, url, port, command: words, sinceMs: Date.now() };
        this.#published.add(entry);
        return { url, remove: () => void this.#published.delete(entry) };
      },
    });
    try {
      do ports.look();
      while (await pause(performance.now() - beganMs < freshMs ? freshPollMs : pollMs));
    } finally {
      ports.close();
      inside.close();
    }
  }

  /** The ports that are published now. */
  list(): readonly PublishedPort[] {
    return [...this.#published];
  }
}

/**
 * A host name for a session, the same whichever server runs it: browsers take all names below `.localhost` for the
 * loopback, and keep cookies by name.
 */
function hostOf(sessionId: string): string {
  const number = createHash('sha256').update(sessionId).digest().readUInt32LE() % 1_000_000;
  return `s${number}.localhost`;
}

/** Servers begin to listen soon after their start. A look costs 0.3 ms, and none is made at a command that ends sooner. */
const freshMs = 10_000;
const freshPollMs = 100;
const mostTries = 50;
const pollMs = 400;
const mostChars = 200;
