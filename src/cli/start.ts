#!/usr/bin/env node
// The default import: an older Node lacks the named export, and must still reach the message below.
import nodeModule from 'node:module';

const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(
    `sekisho needs Node 24 or newer; this is ${process.version}. \`npx -p node@24 node ${process.argv[1]} …\` brings one.\n`,
  );
  process.exit(2);
}
nodeModule.enableCompileCache?.();
// Not process.exit, which would cut output still being written to a pipe.
process.exitCode = await start(process.argv.slice(2));

/** A client waits for each hook and for its server, so these load nothing of the other commands. */
async function start(args: readonly string[]): Promise<number> {
  const [command, option = ''] = args;
  if (command === 'hook' && /^[a-z]+$/.test(option) && !args.includes('--help'))
    return (await import('./hook/client.ts')).hook(args.slice(1));
  if (command === 'run' && option === '--permit')
    return (await import('./hook/client.ts')).runPermitted(args.slice(1));
  // Started by the first client or hook, never by a person.
  if (command === 'resident') {
    const { serveResident } = await import('./resident/resident.ts');
    return serveResident(option === '--socket' ? { socket: args[2] } : { hooks: args[2] });
  }
  if (command === 'serve') {
    const { mayJoin } = await import('./resident/may-join.ts');
    if (await mayJoin(args.slice(1), process.env)) {
      const { join } = await import('./resident/join.ts');
      const exitCode = await join(args.slice(1));
      if (exitCode !== undefined) return exitCode;
    }
  }
  return (await import('./main.ts')).main(args);
}
