export interface LineListener {
  /** Called once for each run of lines of one file. */
  wants(path: string): boolean;
  onLine(path: string, words: Buffer): void;
  /** A file with a NUL that holds the pattern, too. */
  onBinary(path: string): void;
}

/**
 * Splits ripgrep's output into lines `PATH NUL WORDS`, chunk by chunk. A file name may contain a newline; text before
 * one belongs to the name that follows, so no name can pass for another file's.
 */
export function createLineReader(listener: LineListener) {
  let pieces: Buffer[] = [];
  let pieceBytes = 0;
  let nameStart = '';
  // The current file's name as bytes, with its NUL: its lines are consecutive, so the name is decoded once.
  let known: Buffer = Buffer.alloc(0);
  let path = '';
  let isWanted = false;

  function end(line: Buffer): void {
    if (known.length === 0 || nameStart !== '' || !startsWith(line, known)) {
      const nul = line.indexOf(0);
      if (nul === -1) {
        const words = line.toString('utf8');
        const binary = binaryNotice.exec(words)?.[1];
        if (binary === undefined) nameStart += `${words}\n`;
        else listener.onBinary(pathOf(Buffer.from(nameStart + binary)));
        if (binary !== undefined) nameStart = '';
        return;
      }
      path = pathOf(Buffer.from(nameStart + line.toString('utf8', 0, nul)));
      isWanted = listener.wants(path);
      known = nameStart === '' ? Buffer.from(line.subarray(0, nul + 1)) : Buffer.alloc(0);
      nameStart = '';
      if (isWanted) listener.onLine(path, line.subarray(nul + 1));
    } else if (isWanted) {
      listener.onLine(path, line.subarray(known.length));
    }
  }

  return {
    take(chunk: Buffer): void {
      let from = 0;
      for (let newline = chunk.indexOf(0x0a); newline !== -1; newline = chunk.indexOf(0x0a, from)) {
        const tail = chunk.subarray(from, newline);
        end(pieces.length === 0 ? tail : Buffer.concat([...pieces, tail]));
        pieces = [];
        pieceBytes = 0;
        from = newline + 1;
      }
      // A line may be as long as a file; bytes beyond this length are skipped.
      if (from === chunk.length || pieceBytes >= maxLineBytes) return;
      const tail = chunk.subarray(from);
      pieces.push(tail);
      pieceBytes += tail.length;
    },
  };
}

const maxLineBytes = 8 * 1024 * 1024;
const binaryNotice = /^(.*): binary file matches \(found /s;

function startsWith(line: Buffer, start: Buffer): boolean {
  return line.length >= start.length && line.compare(start, 0, start.length, 0, start.length) === 0;
}

/** ripgrep writes `./src/a.ts`, relative to its folder; `<stdin>` is the single file itself. */
export function pathOf(bytes: Buffer): string {
  const path = bytes.toString('utf8');
  return path.startsWith('./') ? path.slice(2) : path === '<stdin>' ? '.' : path;
}
