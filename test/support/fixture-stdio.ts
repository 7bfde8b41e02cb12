import { serveStdio } from '../../src/transport/stdio.ts';
import { createFixtureGateway } from './fixture-gateway.ts';

/** A process that serves the fixture gateway over stdio, as the product serves its own. */
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
const { closed } = serveStdio({
  gateway: createFixtureGateway(),
  input: process.stdin,
  output: process.stdout,
  signal: stop.signal,
});
await closed;
process.exit(0);
