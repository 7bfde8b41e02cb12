import encodingJapanese from 'encoding-japanese';

/**
 * Decodes a page. Order: byte order mark, header, what the page says of itself, what its bytes look like. A name
 * is believed only where the bytes fit it, for headers are often wrong.
 */
export function decodeText(body: Uint8Array, contentType: string, isMarkup: boolean): string {
  const marked = byteOrderMark(body);
  if (marked) return new TextDecoder(marked).decode(body);

  const header = /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType)?.[1];
  const candidates = [
    header,
    isMarkup ? declaredInside(body) : undefined,
    'utf-8',
    guess(body),
    'windows-1252',
  ];
  const fitting: { readonly name: string; readonly text: string }[] = [];
  for (const candidate of candidates) {
    const name = encodingName(candidate);
    if (name === undefined || fitting.some((one) => one.name === name)) continue;
    const text = decodeStrictly(body, name);
    if (text !== undefined) fitting.push({ name, text });
  }
  // Every byte string is windows-1252, and many EUC-JP ones are Shift_JIS: such a name yields to one that says more.
  const [first] = fitting;
  if (!first) return new TextDecoder(encodingName(header) ?? 'utf-8').decode(body);
  if (first.name === 'windows-1252') return (fitting.find(({ name }) => isStrict(name)) ?? first).text;
  if (first.name === 'shift_jis' || first.name === 'euc-jp') return likelierJapanese(first, body);
  return first.text;
}

function byteOrderMark(body: Uint8Array): string | undefined {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8';
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le';
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be';
  return undefined;
}

/** The name in a meta tag or an XML declaration, looked for where browsers look. */
function declaredInside(body: Uint8Array): string | undefined {
  const head = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, 4096)).toString('latin1');
  const found =
    /<meta\b[^>]{0,500}?\bcharset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head) ??
    /^\s*<\?xml\b[^>]{0,200}?\bencoding\s*=\s*["']([\w.:-]+)/i.exec(head);
  const name = found?.[1];
  // A page that could be read this far is not UTF-16, whatever it says.
  return name !== undefined && /^utf-?16/i.test(name) ? 'utf-8' : name;
}

function guess(body: Uint8Array): string | undefined {
  const name = encodingJapanese.detect(body.subarray(0, guessBytes), ['JIS', 'EUCJP', 'SJIS']);
  switch (name) {
    case 'JIS':
      return 'iso-2022-jp';
    case 'EUCJP':
      return 'euc-jp';
    case 'SJIS':
      return 'shift_jis';
    default:
      return undefined;
  }
}

const guessBytes = 64 * 1024;

function encodingName(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

function decodeStrictly(body: Uint8Array, name: string): string | undefined {
  try {
    // `stream` forgives a character that the size limit cut in two.
    return new TextDecoder(name, { fatal: true }).decode(body, { stream: true });
  } catch {
    return undefined;
  }
}

function isStrict(name: string): boolean {
  return !/^(?:windows-|iso-8859-|macintosh|koi8|ibm)/.test(name);
}

/** Real Japanese prose is full of hiragana; the wrong one of the two readings has none. */
function likelierJapanese(first: { readonly name: string; readonly text: string }, body: Uint8Array): string {
  if (hiragana(first.text) > 0) return first.text;
  const other = decodeStrictly(body, first.name === 'shift_jis' ? 'euc-jp' : 'shift_jis');
  return other !== undefined && hiragana(other) > 0 ? other : first.text;
}

function hiragana(text: string): number {
  return text.slice(0, guessBytes).match(/[ぁ-ん]/g)?.length ?? 0;
}
