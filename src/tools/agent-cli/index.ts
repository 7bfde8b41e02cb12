import { defineToolset, type LooseTool } from '../../contract/tool/define-tool.ts';
import { assertMimePattern, createFileRead } from './file-read.ts';
import { createFileWrite } from './file-write.ts';
import type { Outside } from './outside.ts';
import { createShellExec } from './shell-exec.ts';

export interface AgentCliOptions {
  /** `--allow-mime`: MIME types beside text that file_read returns, e.g. `image/png`, `audio/*`. */
  readonly allowMime: readonly string[];
  /** `--allow-executable`: file_write may write programs and scripts. */
  readonly allowExecutable: boolean;
  /** Whether a command can be asked to run outside the sandbox. Default: it cannot. */
  readonly outside?: Outside | undefined;
}

/** The tools of document 000. Throws `ConfigError` for an invalid MIME type. */
function createAgentCliTools(options: AgentCliOptions): LooseTool[] {
  const { allowMime, allowExecutable } = options;
  return [
    createFileRead({
      allowMime: allowMime.map((kind) => {
        assertMimePattern(kind);
        return kind;
      }),
    }),
    createFileWrite({ allowExecutable }),
    createShellExec(options.outside),
  ];
}

export function createAgentCliToolset(options: AgentCliOptions) {
  return defineToolset('agent-cli', createAgentCliTools(options));
}
