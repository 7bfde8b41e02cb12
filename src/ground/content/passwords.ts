const announced =
  /(?:^|[^a-z])(?:password|passwd|passphrase|secret|(?:secret|private|api)[_-]?(?:access[_-]?)?key)["']?\s?[:=]\s?["']?([^\s"',;&<>{}()[\]$]{10,200})/gi;

/** Whether a text states a password or key: after a word such as `password:`, or in a URL. Samples do not count. */
export function holdsPassword(words: string): boolean {
  for (const [, value = ''] of words.matchAll(announced)) if (isOne(value)) return true;
  return /:\/\/[^\s/:@]{1,64}:(?![*x.]{3})[^\s/@]{6,200}@[\w.-]{3,}/i.test(words);
}

function isOne(value: string): boolean {
  if (/^(?:your|my|the|example|changeme|redacted|x{4}|\*{3}|process\.|os\.|env\.|config\.)/i.test(value))
    return false;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z\d]/].filter((kind) => kind.test(value)).length;
  return kinds >= 3;
}

const connecting = new Set(
  'a an and are as at be by for from has in is it of on or that the this to was with you'.split(' '),
);

/** Whether the text is just 12, 15, 18, 21 or 24 words, like a wallet's recovery phrase (BIP 39, any word list). */
export function isSeedPhrase(words: string): boolean {
  if (words.length > 300) return false;
  const all = words.trim().split(/\s+/);
  return (
    [12, 15, 18, 21, 24].includes(all.length) &&
    all.every((word) => /^[a-z]{3,8}$/.test(word) && !connecting.has(word))
  );
}
