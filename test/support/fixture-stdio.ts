import { serveStdio } from '../../src/transport/stdio.ts';
import { createFixtureDoor } from './fixture-door.ts';

/** A process that serves the fixture door over stdio, as the product serves its own. */
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
const { closed } = serveStdio({
  door: createFixtureDoor(),
  input: process.stdin,
  output: process.stdout,
  signal: stop.signal,
  stopGraceMs: 200,
});
await closed;
process.exit(0);
