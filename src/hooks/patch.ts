import type { NativeCall } from './event.ts';
import { type At, writes } from './parse.ts';

/** The files that a patch of Codex touches, as calls: all are permitted or it does not run. Undefined: no patch. */
export function patchCalls(patch: string, at: At): readonly NativeCall[] | undefined {
  const lines = patch.trim().split('\n');
  if (lines[0]?.trim() !== '*** Begin Patch' || lines.at(-1)?.trim() !== '*** End Patch') return undefined;
  const sections: Section[] = [];
  for (const line of lines.slice(1, -1)) {
    // Like the client, ignores white space before a mark.
    const mark = line.trim();
    const [, verb, path] = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$/.exec(mark) ?? [];
    if (verb !== undefined && path !== undefined) {
      sections.push({ verb, path, lines: [] });
      continue;
    }
    // Any other mark may name a file in a later version.
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

/** The lines with one of these signs, without the sign. */
function textOf(lines: readonly string[], signs: string): string {
  return lines
    .filter((line) => signs.includes(line[0] ?? ' ') && !line.startsWith('@@'))
    .map((line) => `${line.slice(1)}\n`)
    .join('');
}
