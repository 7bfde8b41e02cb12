/** Tracks the fenced code of a note, line by line. Returns true for its lines, fences included. */
export function createCodeFences(): (line: string) => boolean {
  let open: string | undefined;
  return (line) => {
    const [, fence, rest = ''] = /^\s*(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (fence === undefined) return open !== undefined;
    if (open === undefined) {
      // ```a``` on one line is inline code.
      if (fence.startsWith('`') && rest.includes('`')) return false;
      open = fence;
    } else if (fence.startsWith(open) && rest.trim() === '') open = undefined;
    return true;
  };
}

/** The line with `code` blanked out, since links and tags in it do not count. */
export function withoutCode(line: string): string {
  return line.includes('`')
    ? line.replace(/(?<!`)(`+)(?!`).{0,4000}?(?<!`)\1(?!`)/g, (code) => ' '.repeat(code.length))
    : line;
}
