import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/**
 * Stands between a client and its server, and writes down each line with who said it: `node tap.ts LOG COMMAND…`.
 * It ends when the server does; the terminal's interrupt is the server's to answer.
 */
const [log = '', command = '', ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });

function note(from: 'client' | 'server', line: string): void {
  appendFileSync(log, `${JSON.stringify({ from, atMs: Date.now(), line })}\n`);
}

createInterface({ input: process.stdin }).on('line', (line) => {
  note('client', line);
  child.stdin.write(`${line}\n`);
});
process.stdin.on('end', () => child.stdin.end());
createInterface({ input: child.stdout }).on('line', (line) => {
  note('server', line);
  process.stdout.write(`${line}\n`);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 1));
