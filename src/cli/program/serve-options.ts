import type { Command } from 'commander';
import { withSettings } from '../common/options.ts';

/** The options of `serve`. */
export function withServeOptions(command: Command): Command {
  return withSettings(command)
    .option('--http [host:port]', 'listen on HTTP (default 127.0.0.1:7040)')
    .option('--as <role>', 'the role of the local caller, for policy rules')
    .option('--no-console', 'do not serve the web console')
    .option('--alone', 'over stdio: serve in this process instead of the server that your clients share');
}
