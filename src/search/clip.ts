/** A line longer than this is cut around its match. */
const maxLineChars = 500;

/** Cuts a line for a reply. `matchAt` is the byte at which the match begins. */
export function clipLine(line: Buffer, matchAt: number): string {
  if (line.length <= maxLineChars) return withoutReturn(line.toString('utf8'));
  // Enough bytes on either side for the wanted characters, cut at character boundaries.
  const at = Math.min(matchAt, line.length);
  const from = at <= maxLineChars / 2 ? 0 : boundary(line, at - maxLineChars);
  const until = boundary(line, at + maxLineChars * 4);
  const before = line.toString('utf8', from, at);
  const after = withoutReturn(line.toString('utf8', at, until));
  const lead = from === 0 ? before : tailOf(before, maxLineChars / 4);
  const rest = headOf(after, maxLineChars - lead.length);
  const cutsStart = from > 0 || lead.length < before.length;
  const cutsEnd = until < line.length || rest.length < after.length;
  return `${cutsStart ? '…' : ''}${lead}${rest}${cutsEnd ? '…' : ''}`;
}

function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}

/** The first byte at or after `at` that begins a character. */
function boundary(line: Buffer, at: number): number {
  let index = Math.max(0, at);
  while (index < line.length && ((line[index] ?? 0) & 0xc0) === 0x80) index++;
  return index;
}

function headOf(text: string, chars: number): string {
  const cut = text.slice(0, chars);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}

function tailOf(text: string, chars: number): string {
  const cut = text.slice(-chars);
  return /^[\udc00-\udfff]/.test(cut) ? cut.slice(1) : cut;
}
