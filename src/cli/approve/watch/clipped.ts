/** Cuts a line to this many columns. Styles (`ESC[…m`) take none; East Asian letters and emoji take two. */
export function clipped(line: string, columns: number): string {
  let used = 0;
  let kept = '';
  for (const [part] of line.matchAll(/\x1b\[[0-9;]*m|./gsu)) {
    const width = part.startsWith('\x1b') ? 0 : widthOf(part);
    if (used + width > columns) return kept;
    used += width;
    kept += part;
  }
  return kept;
}

/** Wraps a text into lines of at most this many columns. */
export function wrapped(text: string, columns: number): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const rows: string[] = [];
    let rest = line;
    while (rest !== '') {
      const row = clipped(rest, Math.max(2, columns));
      rows.push(row);
      rest = rest.slice(row.length);
    }
    return rows.length > 0 ? rows : [''];
  });
}

function widthOf(character: string): number {
  if (/\p{M}|\u200d|\ufe0f/u.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u;
