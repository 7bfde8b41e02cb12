import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, fstatSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { readAtNow } from '../../../files/io.ts';
import { orElse } from '../../../ground/or-else.ts';
import { defer } from '../../../ground/waiting/defer.ts';

export type Makers = ReturnType<typeof openMakers>;

/**
 * Keeps who made content that may come to obeyed paths: commits that commands made, commits of others that no ref names
 * any more, and contents that commands removed from such a path, as `git stash` does. Servers with the same state
 * folder share it; each note adds a line.
 */
export function openMakers(file: string) {
  const commands = new Set<string>();
  const others = new Set<string>();
  const stood = new Set<string>();
  const sets: Readonly<Record<string, Set<string>>> = { c: commands, o: others, s: stood };
  let read = 0;

  /** Reads the notes of other servers too. */
  function learn(): void {
    const fd = orElse(() => openSync(file, 'r'), undefined);
    // Nothing has been noted yet.
    if (fd === undefined) return;
    using _ = defer(() => closeSync(fd));
    const { size } = fstatSync(fd);
    const words = size > read ? readAtNow(fd, read, size - read).toString('latin1') : '';
    // A line that is still being written is read the next time.
    const end = words.lastIndexOf('\n') + 1;
    read += end;
    for (const line of words.slice(0, end).split('\n')) sets[line[0] ?? '']?.add(line.slice(2));
  }

  function note(lines: readonly string[]): void {
    if (lines.length === 0) return;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    appendFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
    learn();
  }

  return {
    /** Did a command make this commit? */
    isCommands(id: string): boolean {
      learn();
      return commands.has(id);
    },
    /** Commits of people and remotes that refs pointed to at some time. */
    others(): Iterable<string> {
      learn();
      return others;
    },
    /** Notes the former and the new commits of the refs that a command changed. `known`: the commits of the other refs. */
    changed(before: Iterable<string>, after: Iterable<string>, known: ReadonlySet<string>): void {
      learn();
      const now = new Set(after);
      const was = new Set(before);
      const gone = [...was].filter((id) => !now.has(id) && !commands.has(id) && !others.has(id));
      const made = [...now].filter(
        (id) => !was.has(id) && !known.has(id) && !commands.has(id) && !others.has(id),
      );
      note([...gone.map((id) => `o ${id}`), ...made.map((id) => `c ${id}`)]);
    },
    /** Notes content that a command removed from a path that something obeys. */
    stood(hostPath: string, content: string): void {
      const key = digestOf(hostPath, content);
      learn();
      if (!stood.has(key)) note([`s ${key}`]);
    },
    hasStood(hostPath: string, content: string): boolean {
      learn();
      return stood.has(digestOf(hostPath, content));
    },
  };
}

function digestOf(hostPath: string, content: string): string {
  return createHash('sha256').update(hostPath, 'latin1').update('\0').update(content).digest('hex');
}
