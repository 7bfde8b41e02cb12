import type { Settings } from '../../config/settings.ts';
import type { Reply } from '../../contract/call.ts';
import type { Said } from '../../hooks/event.ts';

/** A client works in the project itself, with the assistant's tools. */
export function forHooks(settings: Settings): Settings {
  return Object.freeze({
    ...settings,
    only: undefined,
    toolsets: ['assistant'] as const,
    servers: [],
    assistant: { ...settings.assistant, layout: 'workspace' as const },
  });
}

/** A command's reply in the form of a shell's output. */
export function shownAsShell(reply: Reply): Said {
  if (reply.kind === 'error') return { stdout: '', stderr: `${reply.text}\n`, exitCode: notRun };
  const {
    stdout = '',
    stderr = '',
    exit_code = 0,
  } = (reply.kind === 'output' ? reply.structured : {}) as {
    stdout?: string;
    stderr?: string;
    exit_code?: number;
  };
  return { stdout, stderr, exitCode: exit_code };
}

/** The shells' status for a command that was found but not started. */
export const notRun = 126;
