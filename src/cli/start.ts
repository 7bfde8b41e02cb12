#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(`sekisho needs Node 24 or newer; this is ${process.version}.\n`);
  process.exit(2);
}
enableCompileCache?.();
const { main } = await import('./main.ts');
// Not process.exit: what is still being written to a pipe would be cut.
process.exitCode = await main(process.argv.slice(2));
