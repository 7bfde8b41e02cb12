import type { Say } from './dialects/dialect.ts';

/** A client whose own shell goes through our hooks. */
export interface NativeClient {
  /** As `init --client` and its driver call it. */
  readonly bin: string;
  /** Its model's word for a shell command. */
  readonly shell: (command: string) => Say;
  /** It shows our question itself; the others wait for `sekisho approve`. */
  readonly asks: boolean;
  /** Its driver's arguments, changed for a run with our hooks. */
  readonly args?: (driver: readonly string[]) => readonly string[];
}

export const nativeClients: readonly NativeClient[] = [
  {
    bin: 'claude',
    shell: (command) => ({ tool: 'Bash', input: { command, description: 'a step' } }),
    asks: true,
  },
  {
    bin: 'codex',
    shell: (command) => ({ tool: 'exec_command', input: { cmd: command, yield_time_ms: 30_000 } }),
    asks: false,
    // In its own sandbox, as a person has it; and hooks that nobody has trusted by hand are run.
    args: (driver) => [
      ...driver.map((word) => (word === 'danger-full-access' ? 'workspace-write' : word)),
      ...['-c', 'sandbox_workspace_write.network_access=true', '--dangerously-bypass-hook-trust'],
    ],
  },
  {
    bin: 'gemini',
    shell: (command) => ({ tool: 'run_shell_command', input: { command, description: 'a step' } }),
    asks: false,
  },
];
