/** Porter's stemmer (1980) for lower-case English words: `connections` and `connected` become `connect`. */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  return step5(step4(step3(step2(step1c(step1b(step1a(word)))))));
}

function step1a(word: string): string {
  if (word.endsWith('sses') || word.endsWith('ies')) return word.slice(0, -2);
  if (word.endsWith('s') && !word.endsWith('ss')) return word.slice(0, -1);
  return word;
}

function step1b(word: string): string {
  if (word.endsWith('eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const base = word.endsWith('ed') ? word.slice(0, -2) : word.endsWith('ing') ? word.slice(0, -3) : undefined;
  if (base === undefined || !hasVowel(base)) return word;
  if (/(at|bl|iz)$/.test(base)) return `${base}e`;
  if (endsDoubled(base) && !/[lsz]$/.test(base)) return base.slice(0, -1);
  return measure(base) === 1 && endsShort(base) ? `${base}e` : base;
}

function step1c(word: string): string {
  return word.endsWith('y') && hasVowel(word.slice(0, -1)) ? `${word.slice(0, -1)}i` : word;
}

function step2(word: string): string {
  return replaceEnding(word, second);
}

function step3(word: string): string {
  return replaceEnding(word, third);
}

function step4(word: string): string {
  const ending = fourth.find((candidate) => word.endsWith(candidate));
  if (ending === undefined) return word;
  const base = word.slice(0, -ending.length);
  if (ending === 'ion' && !/[st]$/.test(base)) return word;
  return measure(base) > 1 ? base : word;
}

function step5(word: string): string {
  let stemmed = word;
  if (stemmed.endsWith('e')) {
    const base = stemmed.slice(0, -1);
    const m = measure(base);
    if (m > 1 || (m === 1 && !endsShort(base))) stemmed = base;
  }
  return stemmed.endsWith('ll') && measure(stemmed) > 1 ? stemmed.slice(0, -1) : stemmed;
}

/** Replaces the longest matching ending of the table if a syllable precedes it. */
function replaceEnding(word: string, table: readonly (readonly [string, string])[]): string {
  for (const [ending, other] of table) {
    if (!word.endsWith(ending)) continue;
    const base = word.slice(0, -ending.length);
    return measure(base) > 0 ? base + other : word;
  }
  return word;
}

/** The number of vowel runs followed by a consonant run. */
function measure(base: string): number {
  return shape(base).match(/v+c+/g)?.length ?? 0;
}

function hasVowel(base: string): boolean {
  return shape(base).includes('v');
}

function endsDoubled(base: string): boolean {
  return base.length > 1 && base.at(-1) === base.at(-2) && shape(base).endsWith('c');
}

/** Ends in consonant, vowel, consonant, the last not w, x or y: `hop`, `fil`. */
function endsShort(base: string): boolean {
  return shape(base).endsWith('cvc') && !/[wxy]$/.test(base);
}

/** The word as consonants and vowels; y is a vowel after a consonant. */
function shape(base: string): string {
  let made = '';
  for (const letter of base) {
    const isVowel = 'aeiou'.includes(letter) || (letter === 'y' && made.endsWith('c'));
    made += isVowel ? 'v' : 'c';
  }
  return made;
}

/** Endings and what takes their place, the longest first. */
const second = endings(
  `ational-ate ization-ize iveness-ive fulness-ful ousness-ous tional-tion biliti-ble ation-ate alism-al
  aliti-al iviti-ive ousli-ous entli-ent enci-ence anci-ance izer-ize abli-able alli-al ator-ate eli-e`,
);
const third = endings('icate-ic ative- alize-al iciti-ic ical-ic ness- ful-');
const fourth = `ement ance ence able ible ment ant ent ism ate iti ous ive ize ion al er ic ou`.split(/\s+/);

function endings(words: string): readonly (readonly [string, string])[] {
  return words.split(/\s+/).map((word) => word.split('-') as [string, string]);
}
