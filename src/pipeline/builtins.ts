import type { Folder } from '../contract/capabilities/files.ts';
import type { BuiltinWork, PipelineRequest, WriteRecord } from '../contract/capabilities/pipeline.ts';
import { limits } from '../contract/limits.ts';
import { findNames } from './names/find-names.ts';
import { byCodePoint } from './names/glob.ts';
import { type NameListing, walkNames } from './names/walk-names.ts';
import type { Builtin } from './ports.ts';
import { assertSize, confirmBytes, type Records } from './records/records.ts';
import type { CodeIndex } from './symbols/code-index.ts';
import { checkOutline, findSymbols, type OutlineOptions, outline } from './symbols/outline.ts';

export interface BuiltinsOptions {
  readonly folder: Folder;
  readonly records: Records;
  readonly index: CodeIndex;
}

/** The stages that are done in this process and not by a program. */
export function createBuiltins({ folder, records, index }: BuiltinsOptions) {
  return (
    work: BuiltinWork,
    request: PipelineRequest,
    session: string,
    wrote: (record: WriteRecord) => void,
  ): Builtin => {
    const cwd = request.folder.path;
    const code: OutlineOptions = {
      command: codeCommands[work.kind] ?? work.kind,
      folder,
      cwd,
      index,
      list: (below) => listCode(below, { folder, cwd }, request.signal),
    };
    switch (work.kind) {
      case 'tee':
        return teeInto({
          confirmOversize: request.confirmOversize,
          async write(content) {
            const record = await records.write({
              path: work.target,
              cwd,
              mode: work.append ? 'append' : 'overwrite',
              content,
              confirmOversize: request.confirmOversize,
              command: request.stages.map((stage) => stage.shown).join(' | '),
              session,
              signal: request.signal,
            });
            wrote(record);
            return record;
          },
        });
      case 'find-names':
        return findNames(work.query, { folder, cwd });
      case 'outline':
        return outline(work.path, code);
      case 'outline-check':
        return checkOutline(work.file, code);
      case 'symbols':
        return findSymbols(work.query, code);
    }
  };
}

const codeCommands: Readonly<Record<string, string>> = {
  outline: 'ctree_generate',
  'outline-check': 'ctree_check',
  symbols: 'serena_find_symbol',
};

async function listCode(
  below: string,
  listing: NameListing,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const start = below === '.' ? '' : below.replace(/\/+$/, '');
  const names: string[] = [];
  const query = { hidden: false, noIgnore: false, exclude: [], maxDepth: 256 };
  for await (const { kind, shown } of walkNames(start, query, listing, signal))
    if (kind === 'file') names.push(shown);
  return names.sort(byCodePoint);
}

interface TeeOptions {
  readonly confirmOversize: boolean;
  readonly write: (content: Buffer) => Promise<WriteRecord>;
}

/**
 * Collects all of its input before it writes, so a pipeline can change a file that it reads, and nothing is written if
 * an earlier stage failed or the input is too large. Then passes the input on.
 */
function teeInto({ confirmOversize, write }: TeeOptions): Builtin {
  return async (ports) => {
    const kept: Buffer[] = [];
    const most = confirmOversize ? limits.writeBytes : confirmBytes;
    let bytes = 0;
    for await (const chunk of ports.input ?? []) {
      bytes += chunk.length;
      // Counted to the end, so that the refusal can state the size; kept only up to the limit.
      if (bytes <= most) kept.push(chunk);
    }
    if (!(await ports.earlierEnded())) return { exitCode: 0 };
    assertSize(bytes, confirmOversize);
    const content = Buffer.concat(kept);
    await write(content);
    const step = 64 * 1024;
    for (let at = 0; at < content.length; at += step) {
      if (!(await ports.write(content.subarray(at, at + step)))) break;
    }
    return { exitCode: 0 };
  };
}
