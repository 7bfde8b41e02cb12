import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/**
 * Stands between a client and its server, and writes down each line with who said it: `node tap.mjs LOG COMMAND…`.
 * It ends when the server does; the terminal's interrupt is the server's to answer.
 */
const [log = '', command = '', ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });

function note(from: 'client' | 'server', line: string): void {
  appendFileSync(log, `${JSON.stringify({ from, atMs: Date.now(), line })}\n`);
}

/** As they are, byte for byte: a client that is gone must look gone to the server. */
function pass(from: 'client' | 'server', input: Readable, output: Writable): void {
  createInterface({ input }).on('line', (line) => note(from, line));
  input.pipe(output);
  output.on('error', () => input.destroy());
}
pass('client', process.stdin, child.stdin);
pass('server', child.stdout, process.stdout);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 1));
