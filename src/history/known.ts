import { AsyncLocalStorage } from 'node:async_hooks';
import { hash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { NewHistoryEntry } from '../contract/capabilities/history.ts';
import { readAtNow } from '../files/io.ts';

/** A file as a session last read or wrote it. */
interface Known {
  readonly digest: string;
  /** Undefined if it is too long, or had to make room. */
  content?: Uint8Array | undefined;
}

interface Reader {
  readonly sessionId: string;
  /** As the call names them. */
  readonly paths: readonly string[];
}

/**
 * Knows what each session's calls read or wrote of files, as digests, and as texts in bounded memory. What it no
 * longer knows is as if it had never been read.
 */
export class KnownFiles {
  readonly #sessions = new Map<string, Map<string, Known>>();
  readonly #readers = new AsyncLocalStorage<Reader>();
  /** Those with a content, the oldest first. */
  readonly #kept = new Set<Known>();
  #bytes = 0;

  /** Of what the work reads, the session knows the files that it asked for. */
  reading<T>(reader: Reader, work: () => Promise<T>): Promise<T> {
    return this.#readers.run(reader, work);
  }

  wasRead(hostPath: string, descriptor: number, bytes: number): void {
    const { sessionId, paths } = this.#readers.getStore() ?? { sessionId: '', paths: [] };
    if (!paths.some((path) => hostPath === path || hostPath.endsWith(`/${path}`))) return;
    if (bytes > mostBytes) this.#pathsOf(sessionId).delete(hostPath);
    else this.#note(sessionId, hostPath, readAtNow(descriptor, 0, bytes));
  }

  /** Changes of a session's own. Of what a command wrote, it has seen nothing. */
  changed(entries: readonly NewHistoryEntry[], content?: Uint8Array): void {
    for (const { sessionId, root, path, after, action } of entries) {
      if (sessionId === '') continue;
      const hostPath = join(root, path);
      const digest = after.kind === 'file' && action !== 'command' ? after.digest : undefined;
      if (digest === undefined) this.#sessions.get(sessionId)?.delete(hostPath);
      else if (content && content.length <= mostBytes) this.#note(sessionId, hostPath, content);
      else this.#put(sessionId, hostPath, { digest });
    }
  }

  /** Around a call whose programs may change files: those that changed meanwhile are not known any more. */
  around(sessionId: string): () => void {
    const paths = this.#sessions.get(sessionId);
    const before = [...(paths?.keys() ?? [])].map((path) => [path, stampOf(path)] as const);
    return () => {
      for (const [path, stamp] of before) if (stampOf(path) !== stamp) paths?.delete(path);
    };
  }

  of(sessionId: string, hostPath: string): Known | undefined {
    return this.#sessions.get(sessionId)?.get(hostPath);
  }

  #note(sessionId: string, hostPath: string, content: Uint8Array): void {
    const known: Known = { digest: hash('sha256', content), content };
    this.#put(sessionId, hostPath, known);
    this.#kept.add(known);
    this.#bytes += content.length;
    for (const oldest of this.#kept) {
      if (this.#bytes <= mostKeptBytes) break;
      this.#kept.delete(oldest);
      this.#bytes -= oldest.content?.length ?? 0;
      oldest.content = undefined;
    }
  }

  #put(sessionId: string, hostPath: string, known: Known): void {
    const paths = this.#pathsOf(sessionId);
    paths.delete(hostPath);
    paths.set(hostPath, known);
    const [oldest] = paths.keys();
    if (paths.size > mostPaths && oldest !== undefined) paths.delete(oldest);
  }

  #pathsOf(sessionId: string): Map<string, Known> {
    const paths = this.#sessions.get(sessionId) ?? new Map<string, Known>();
    this.#sessions.delete(sessionId);
    this.#sessions.set(sessionId, paths);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > mostSessions && oldest !== undefined) this.#sessions.delete(oldest);
    return paths;
  }
}

function stampOf(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  return stat ? `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}` : '';
}

const mostBytes = 256 * 1024;
const mostKeptBytes = 16 * 1024 * 1024;
const mostPaths = 256;
const mostSessions = 64;
