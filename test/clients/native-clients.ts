import type { Say } from './dialects/dialect.ts';

/** A client whose own shell goes through our hooks. */
export interface NativeClient {
  /** As `init --client` and its driver call it. */
  readonly bin: string;
  /** Its model's word for a shell command. */
  readonly shell: (command: string) => Say;
  /** It shows our question itself; the others wait for `sekisho approve`. */
  readonly asks: boolean;
  /** Arguments after those of its driver: hooks that nobody has trusted by hand are run. */
  readonly more: readonly string[];
}

export const nativeClients: readonly NativeClient[] = [
  {
    bin: 'claude',
    shell: (command) => ({ tool: 'Bash', input: { command, description: 'a step' } }),
    asks: true,
    more: [],
  },
  {
    bin: 'codex',
    shell: (command) => ({ tool: 'exec_command', input: { cmd: command, yield_time_ms: 30_000 } }),
    asks: false,
    more: ['--dangerously-bypass-hook-trust'],
  },
  {
    bin: 'gemini',
    shell: (command) => ({ tool: 'run_shell_command', input: { command, description: 'a step' } }),
    asks: false,
    more: [],
  },
];
