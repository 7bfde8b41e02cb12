import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HeldRequest } from '../../contract/capabilities/process.ts';
import { cleanLine } from '../../contract/text/clean-text.ts';
import { text } from '../../contract/text/text.ts';
import { findListeners, type Listener } from './diagnosis.ts';
import { Publication } from './publication.ts';
import type { Inside, PublishOptions, ServingCommand } from './serving-command.ts';

/** The output in which publications are told. */
interface Announcing {
  /** Takes a line for the command's output. */
  readonly tell: (line: string) => void;
  /** Enters a publication into the list of all. */
  readonly enter: (port: number, outer: number) => Entry;
}

interface Entry {
  readonly url: string;
  readonly remove: () => void;
}

interface Seen {
  listener: Listener | undefined;
  looks: number;
  lastMs: number;
  publication?: Publication;
  entry?: Entry;
}

/** The ports that one command listens on. A person is asked once a session for each before it is published. */
export class ServedPorts {
  readonly #command: ServingCommand;
  readonly #inside: Inside;
  readonly #options: PublishOptions;
  readonly #announcing: Announcing;
  readonly #seen = new Map<number, Seen>();
  /** Listeners that are another command's, or the server's. */
  readonly #foreign = new Set<number>();
  readonly #own = new Set<number>();

  constructor(command: ServingCommand, inside: Inside, options: PublishOptions, announcing: Announcing) {
    this.#command = command;
    this.#inside = inside;
    this.#options = options;
    this.#announcing = announcing;
  }

  /** Asks the kernel what listens now. */
  look(): void {
    const nowMs = performance.now();
    const listening = new Map<number, Listener>();
    // IPv4 comes first.
    for (const listener of this.#ownOf(findListeners(this.#inside.inner)))
      if (!listening.has(listener.port)) listening.set(listener.port, listener);
    for (const [port, listener] of listening) {
      const seen = this.#seen.get(port) ?? { listener, looks: 0, lastMs: nowMs };
      if (!this.#seen.has(port) && this.#seen.size >= mostPorts) continue;
      this.#seen.set(port, Object.assign(seen, { listener, lastMs: nowMs, looks: seen.looks + 1 }));
      // A test's server may be gone already.
      if (seen.looks === looksBefore) void this.#serve(port, seen);
    }
    for (const [port, seen] of this.#seen) {
      if (listening.has(port)) continue;
      seen.listener = undefined;
      if (seen.publication && nowMs - seen.lastMs > restartMs) this.#end(port, seen);
    }
  }

  close(): void {
    for (const [port, seen] of this.#seen) this.#end(port, seen);
  }

  #end(port: number, { publication, entry }: Seen): void {
    this.#seen.delete(port);
    publication?.close();
    entry?.remove();
  }

  #mayPublish(port: number): boolean {
    return this.#options.ports.some(([first, last]) => first <= port && port <= last);
  }

  /** The proxy's listeners are the server's, and others may be another command's of the session. */
  #ownOf(listeners: readonly Listener[]): readonly Listener[] {
    const possible = listeners.filter(({ port }) => this.#mayPublish(port));
    const unknown = possible.filter(({ inode }) => !this.#own.has(inode) && !this.#foreign.has(inode));
    // The search through all descriptors takes long, so it is made once for all.
    const held = unknown.length > 0 ? this.#command.sockets() : new Set();
    for (const { inode } of unknown) (held.has(inode) ? this.#own : this.#foreign).add(inode);
    return possible.filter(({ inode }) => this.#own.has(inode));
  }

  async #serve(port: number, seen: Seen): Promise<void> {
    const { session } = this.#command;
    if (!session.agreed.has(port) && !(await this.#isAgreed(port))) return;
    session.agreed.add(port);
    const isOver = () => this.#command.ended.aborted || this.#seen.get(port) !== seen;
    if (isOver()) return;
    const publication = await Publication.open({
      inside: this.#inside,
      port,
      reserved: new Set(this.#options.reserved),
      target: () => seen.listener,
    }).catch((error: Error) => error);
    if (publication instanceof Error) return this.#tell(port, `is not: ${publication.message}`);
    if (isOver()) return publication.close();
    seen.publication = publication;
    seen.entry = this.#announcing.enter(port, publication.port);
    const other = publication.port === port ? '' : `, as ${port} is taken`;
    this.#tell(
      port,
      `is at ${seen.entry.url} and http://localhost:${publication.port} for browsers of this machine${other}`,
    );
  }

  /** An answer may come later than a client waits for one. */
  async #isAgreed(port: number): Promise<boolean> {
    const { ask, ended, session } = this.#command;
    const waiting = setTimeout(() => this.#tell(port, "waits for a person's answer"), quietMs).unref();
    try {
      for (;;) {
        const answer = await ask(heldPort(port, session.id));
        if (answer.isAllowed) return true;
        if (!answer.isOpen) {
          if (!ended.aborted) this.#tell(port, `is not: ${cleanLine(answer.because.en)}`);
          return false;
        }
        await sleep(askAgainMs, undefined, { ref: false, signal: ended });
      }
    } catch {
      return false;
    } finally {
      clearTimeout(waiting);
    }
  }

  #tell(port: number, words: string): void {
    this.#announcing.tell(`[published: port ${port} ${words}]\n`);
  }
}

const mostPorts = 16;
const looksBefore = 2;
/** A server that restarts keeps its publication. */
const restartMs = 3000;
const quietMs = 1000;
const askAgainMs = 1000;

/** A port that waits for a person, in the form of a request. */
function heldPort(port: number, sessionId: string): HeldRequest {
  return {
    kind: 'listen',
    method: 'LISTEN',
    scheme: 'tcp',
    host: `localhost:${port}`,
    path: '',
    pathPattern: '',
    summary: text(
      `lets your browsers open port ${port} of the command`,
      `コマンドのポート ${port} をブラウザーから開けるようにします`,
    ),
    notes: [
      text(
        'Programs of your user on this machine reach it until the command ends. A yes lasts for this session.',
        'コマンドが終了するまで、このマシンのあなたのユーザーのプログラムから接続できます。承認はこのセッションの間有効です。',
      ),
      text(
        "Opened at localhost, it also gets the cookies of other servers there. The session's own name, which the reply gives, has none of them.",
        'localhost で開くと、そこにある他のサーバーの Cookie も渡ります。返信に示すセッション専用の名前では渡りません。',
      ),
    ],
    program: undefined,
    bodyBytes: 0,
    bodyStart: new Uint8Array(),
    isBodyWhole: true,
    digest: createHash('sha256').update(`listen ${sessionId} ${port}`).digest('hex'),
  };
}
