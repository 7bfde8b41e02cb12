import { Buffer } from 'node:buffer';
import type { Folder } from '../../contract/files.ts';
import type { BuiltinWork, PipelineOrder, WriteRecord } from '../../contract/pipeline.ts';
import type { Builtin } from './builtin.ts';
import { findNames } from './find-names.ts';
import { byCodePoint } from './glob.ts';
import type { NameLister } from './list-names.ts';
import type { Records } from './records.ts';
import type { CodeIndex } from './symbols/code-index.ts';
import { checkOutline, findSymbols, type OutlineOptions, outline } from './symbols/outline.ts';
import { teeInto } from './tee.ts';

export interface BuiltinsOptions {
  readonly folder: Folder;
  readonly records: Records;
  readonly index: CodeIndex;
  readonly listNames: NameLister;
}

/** The work of stages that are done here and not by a program. */
export function createBuiltins({ folder, records, index, listNames }: BuiltinsOptions) {
  return (
    work: BuiltinWork,
    order: PipelineOrder,
    session: string,
    wrote: (record: WriteRecord) => void,
  ): Builtin => {
    const cwd = order.folder.path;
    const code: OutlineOptions = {
      command: codeCommands[work.kind] ?? work.kind,
      folder,
      cwd,
      index,
      list: (below) => listCode(listNames, below, order),
    };
    switch (work.kind) {
      case 'tee':
        return teeInto({
          confirmOversize: order.confirmOversize,
          async write(content) {
            const record = await records.write({
              path: work.target,
              cwd,
              mode: work.append ? 'append' : 'overwrite',
              content,
              confirmOversize: order.confirmOversize,
              command: order.stages.map((stage) => stage.shown).join(' | '),
              session,
              signal: order.signal,
            });
            wrote(record);
            return record;
          },
        });
      case 'find-names':
        return findNames(work.query, { folder, cwd, list: (args, below) => listNames(args, below, order) });
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
  listNames: NameLister,
  below: string,
  order: PipelineOrder,
): Promise<readonly string[]> {
  const chunks: Buffer[] = [];
  const start = below === '.' ? '' : below.replace(/\/+$/, '');
  for await (const chunk of listNames(['--files', '--no-config', '--null'], start, order)) chunks.push(chunk);
  return Buffer.concat(chunks)
    .toString('utf8')
    .split('\0')
    .filter((name) => name !== '')
    .sort(byCodePoint);
}
