#!/usr/bin/env node
// By its default export: an older Node lacks the name, and should reach the line below that says so.
import nodeModule from 'node:module';

const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(
    `sekisho needs Node 24 or newer; this is ${process.version}. \`npx -p node@24 node ${process.argv[1]} …\` brings one.\n`,
  );
  process.exit(2);
}
nodeModule.enableCompileCache?.();
const { main } = await import('./main.ts');
// Not process.exit: what is still being written to a pipe would be cut.
process.exitCode = await main(process.argv.slice(2));
