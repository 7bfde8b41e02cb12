/** Backslash escapes as printf, echo -e and `$'…'` read them. */
export function unescaped(text: string): string {
  return text.replace(/\\(x[\da-fA-F]{1,2}|u[\da-fA-F]{1,4}|[0-7]{1,4}|.)/gs, (whole, code: string) => {
    if (/^[xu]./.test(code)) return String.fromCodePoint(Number.parseInt(code.slice(1), 16));
    if (/^[0-7]/.test(code)) return String.fromCodePoint(Number.parseInt(code, 8) & 0xff);
    return letters[code] ?? whole;
  });
}

const letters: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  e: '\x1b',
  '\\': '\\',
  '"': '"',
  "'": "'",
};
