/** Reduces each line to its last frame: a terminal's final view of a progress bar. */
export function createFrames() {
  let held: Buffer = Buffer.alloc(0);
  let left = 0;

  /** `line` has no newline. A final carriage return belongs to the newline, or waits for the next frame. */
  function lastFrame(line: Buffer): Buffer {
    let end = line.length;
    while (end > 0 && line[end - 1] === carriageReturn) end--;
    const start = line.subarray(0, end).lastIndexOf(carriageReturn) + 1;
    for (
      let at = line.indexOf(carriageReturn);
      at >= 0 && at < start;
      at = line.indexOf(carriageReturn, at + 1)
    )
      if (line[at + 1] !== carriageReturn) left += 1;
    return start === 0 ? line : line.subarray(start);
  }

  return {
    /** How many frames were overwritten so far. */
    get left(): number {
      return left;
    },
    /** The settled part of a chunk and the bytes before it. */
    add(chunk: Buffer): Buffer {
      const all = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      const end = all.lastIndexOf(lineFeed) + 1;
      const parts: Buffer[] = [];
      let from = 0;
      // Most output has no frames and passes unchanged.
      for (
        let at = all.indexOf(carriageReturn);
        at >= 0 && at < end;
        at = all.indexOf(carriageReturn, from)
      ) {
        const begin = all.subarray(0, at).lastIndexOf(lineFeed) + 1;
        const until = all.indexOf(lineFeed, at);
        parts.push(
          all.subarray(from, begin),
          lastFrame(all.subarray(begin, until)),
          all.subarray(until, until + 1),
        );
        from = until + 1;
      }
      parts.push(all.subarray(from, end));
      held = lastFrame(all.subarray(end));
      if (held.length > mostHeld) {
        parts.push(held);
        held = Buffer.alloc(0);
      }
      return parts.length === 1 ? (parts[0] ?? held) : Buffer.concat(parts);
    },
    /** The unfinished line, without a carriage return that waits for the next frame. */
    rest(): Buffer {
      let end = held.length;
      while (end > 0 && held[end - 1] === carriageReturn) end--;
      return held.subarray(0, end);
    },
  };
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
/** A longer line is not a frame. */
const mostHeld = 8192;
