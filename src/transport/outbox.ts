import type { Writable } from 'node:stream';

export type Outbox = ReturnType<typeof createOutbox>;

const congestedBytes = 1024 * 1024;
/** Of one write: a thousand long answers in one turn would hold up everybody else. */
const mostChars = 1024 * 1024;

/** Combines the lines of one turn of the event loop into one write. */
export function createOutbox(output: Writable) {
  let waiting: string[] = [];
  let chars = 0;
  let gone = false;
  for (const event of ['error', 'close']) {
    output.on(event, () => {
      gone = true;
      waiting = [];
    });
  }

  /** Writes now: no more lines are expected in this turn. */
  function flush(): void {
    if (waiting.length === 0 || gone) return;
    const text = waiting.length === 1 ? `${waiting[0]}\n` : `${waiting.join('\n')}\n`;
    waiting = [];
    chars = 0;
    output.write(text);
  }

  return {
    send(line: string) {
      if (gone) return;
      chars += line.length;
      if (waiting.push(line) === 1) setImmediate(flush);
      // At once, so that who answers notices how long it takes.
      if (chars > mostChars) flush();
    },
    flush,
    /** Whether the reader is so far behind that optional messages should be skipped. */
    isCongested: () => output.writableLength > congestedBytes,
    /** Resolves when the reader has caught up, or is gone. */
    async drained() {
      if (gone || !output.writableNeedDrain) return;
      await settled(output, (resolve) => output.once('drain', resolve));
    },
    /** Resolves when the system has accepted everything sent so far, or the reader is gone. */
    async flushed() {
      flush();
      if (gone) return;
      await settled(output, (resolve) => output.write('', resolve));
    },
  };
}

/** Waits for one event, or for the end of the stream. */
function settled(output: Writable, wait: (resolve: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      output.off('error', done).off('close', done);
      resolve();
    };
    output.once('error', done).once('close', done);
    wait(done);
  });
}
