import { ToolError } from '../contract/error.ts';
import { text } from '../contract/text.ts';
import { cancelled } from './remote.ts';

/** At most so many calls at once; the others wait in line, and the line has an end. */
export interface Turns {
  take(signal: AbortSignal): Promise<() => void>;
}

const maxWaiting = 200;

export function createTurns(atOnce: number): Turns {
  let running = 0;
  const line: (() => void)[] = [];

  function leave(): void {
    const next = line.shift();
    // The turn passes on without becoming free in between.
    if (next) next();
    else running -= 1;
  }

  return {
    async take(signal) {
      if (signal.aborted) throw cancelled();
      if (running < atOnce) {
        running += 1;
        return leave;
      }
      if (line.length >= maxWaiting) throw tooMany();
      await new Promise<void>((resolve, reject) => {
        const go = () => {
          signal.removeEventListener('abort', give);
          resolve();
        };
        const give = () => {
          line.splice(line.indexOf(go), 1);
          reject(cancelled());
        };
        line.push(go);
        signal.addEventListener('abort', give, { once: true });
      });
      return leave;
    },
  };
}

function tooMany(): ToolError {
  return new ToolError(
    'rate_limited',
    text(
      `${maxWaiting} calls are waiting for this server.`,
      `${maxWaiting} 件の呼び出しがこのサーバーを待っています。`,
    ),
    {
      suggestion: text('Try again when some are done.', 'いくつか終わってから試してください。'),
      details: { retry_after_ms: 1000 },
    },
  );
}
