import type { NativeCall } from './event.ts';
import { type At, writes } from './parse.ts';

/**
 * The files that a patch of Codex touches, each as a call of ours; `undefined` for what is no such patch. All of them
 * are permitted, or the patch does not run.
 */
export function patchCalls(patch: string, at: At): readonly NativeCall[] | undefined {
  const lines = patch.trim().split('\n');
  if (lines[0]?.trim() !== '*** Begin Patch' || lines.at(-1)?.trim() !== '*** End Patch') return undefined;
  const sections: Section[] = [];
  for (const line of lines.slice(1, -1)) {
    // As the client reads it: white space before a mark is none.
    const mark = line.trim();
    const [, verb, path] = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$/.exec(mark) ?? [];
    if (verb !== undefined && path !== undefined) {
      sections.push({ verb, path, lines: [] });
      continue;
    }
    // Every other mark may name a file in a version to come.
    if (mark.startsWith('***') && mark !== '*** End of File') return undefined;
    const last = sections.at(-1);
    if (!last) return undefined;
    last.lines.push(line);
  }
  if (sections.length === 0) return undefined;
  return sections.map((section) => callOf(section, at));
}

interface Section {
  readonly verb: string;
  readonly path: string;
  readonly lines: string[];
}

function callOf({ verb, path, lines }: Section, at: At): NativeCall {
  if (verb !== 'Update File') return writes('write_file', at(path), { content: textOf(lines, '+') });
  return writes('edit_file', at(path), { old_string: textOf(lines, ' -'), new_string: textOf(lines, ' +') });
}

/** The lines with one of these signs, without it. */
function textOf(lines: readonly string[], signs: string): string {
  return lines
    .filter((line) => signs.includes(line[0] ?? ' ') && !line.startsWith('@@'))
    .map((line) => `${line.slice(1)}\n`)
    .join('');
}
