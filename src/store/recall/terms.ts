import { stemmer } from 'stemmer';

/** Splits text into index words: characters and pairs in scripts without spaces, else stems. `S3バケット` is two. */
export function termsOf(content: string): string[] {
  const words: string[] = [];
  for (const run of runsOf(content)) {
    if (run.spaced) words.push(...spacedWords(run.text));
    else for (const { word } of unspacedWords(run.text)) words.push(word);
  }
  return words;
}

/** The words of a query, each once, without purely grammatical ones unless there are no others. */
export function wordsOfQuestion(question: string): string[] {
  const telling = new Set<string>();
  for (const run of runsOf(question)) {
    if (run.spaced) {
      if (!stopWords.has(run.text.toLowerCase())) for (const word of spacedWords(run.text)) telling.add(word);
      continue;
    }
    for (const { word, tells } of unspacedWords(run.text)) if (tells) telling.add(word);
  }
  const words = telling.size > 0 ? telling : new Set(termsOf(question));
  return [...words].slice(0, questionWords);
}

/** All words by which a memory is found. */
export function wordsOfMemory(memory: {
  readonly content: string;
  readonly category: string;
  readonly tags: readonly string[];
}): string[] {
  return termsOf([memory.content, memory.category, ...memory.tags].join('\n'));
}

interface Run {
  readonly text: string;
  readonly spaced: boolean;
}

function* runsOf(content: string): Iterable<Run> {
  const plain = content.normalize('NFKC').replace(contraction, '');
  for (const { 0: text, groups } of plain.matchAll(runs))
    yield { text, spaced: groups?.unspaced === undefined };
}

/** The word itself, and the parts of a name like `openStore`. */
function spacedWords(run: string): string[] {
  if (!camelBorder.test(run)) return [baseOf(run)];
  return [run, ...(run.match(camelParts) ?? [])].map(baseOf);
}

function baseOf(run: string): string {
  let word = run.toLowerCase();
  if (/[^\p{ASCII}]/u.test(word) && /^[\p{Script=Latin}\p{M}\p{N}]+$/u.test(word)) {
    word = word.normalize('NFD').replace(/\p{M}/gu, '');
  }
  const base = irregular.get(word) ?? word;
  return (/^[a-z]+$/.test(base) ? stemmer(base) : base).slice(0, wordChars);
}

interface UnspacedWord {
  readonly word: string;
  /** Whether it carries meaning in a query. */
  readonly tells: boolean;
}

function* unspacedWords(run: string): Iterable<UnspacedWord> {
  const letters = [...run];
  const grammar = grammarIn(run, letters);
  for (const [at, letter] of letters.entries()) {
    const next = letters[at + 1];
    const isHiragana = hiragana.test(letter);
    yield { word: letter, tells: !isHiragana && !grammar[at] };
    if (next === undefined) continue;
    const [here, there] = [grammar[at], grammar[at + 1]];
    // 「色は」 carries meaning; 「です」 and a pair across a word and its ending do not.
    const tells = isHiragana && hiragana.test(next) ? !(here || there) : !(here && there);
    yield { word: letter + next, tells };
  }
}

/** Marks the letters of particles and endings, by which each pair in a run of hiragana is judged. */
function grammarIn(run: string, letters: readonly string[]): readonly boolean[] {
  const marks: boolean[] = new Array(letters.length).fill(false);
  // A run may contain Han outside the BMP: count letters, not code units.
  let unit = 0;
  const letterAt = new Map<number, number>();
  for (const [at, letter] of letters.entries()) {
    letterAt.set(unit, at);
    unit += letter.length;
  }
  for (const match of run.matchAll(japaneseGrammar)) {
    const start = letterAt.get(match.index) ?? 0;
    for (let at = start; at < start + match[0].length; at += 1) marks[at] = true;
  }
  return marks;
}

// Scripts without spaces between words, and Hangul, whose endings are attached to words.
const unspacedScripts =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ー々〆ヶ';
const runs = new RegExp(
  `(?<unspaced>[${unspacedScripts}]+)|[[\\p{L}\\p{N}\\p{M}]--[${unspacedScripts}]]+`,
  'gv',
);
const hiragana = /\p{Script=Hiragana}/u;
const contraction = /(?<=\p{L})['’](?:s|t|re|ve|ll|d|m)(?!\p{L})/giu;
const camelBorder = /\p{Ll}\p{Lu}/u;
const camelParts = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{M}\p{N}]+/gu;
/** A longer run is noise, a key or a hash; its beginning is enough to find it. */
const wordChars = 64;
const questionWords = 64;

/** English words without meaning for a search; dropped from queries, never from memories. */
const stopWords: ReadonlySet<string> = new Set(
  `a about all also am an and any are as at be been being but by can could d did do does doing don for from had has
  have having he her hers him his how i if in into is it its just ll m may me might mine more most my no nor not of
  off on once only or our ours out over own please re s same shall she should so some such t tell than that the
  their theirs them then there these they this those to too up us ve very was we were what when where which while
  who whom whose why will with would you your yours`.split(/\s+/),
);

/** Japanese particles, endings, auxiliaries and question words, longest first: an expression takes the first match. */
const japaneseGrammar = new RegExp(
  `教えてください 教えて下さい 教えて 何 誰 でしょうか ましたっけ でしたっけ ください くださる ありますか ありました いましたか について なんだっけ
  だったっけ したっけ ですか ますか ました でした でしょう だった として という といった から まで より ので のに けど
  だけ など って です ます たい ない なかった します する した して される された している していた いる いた
  ある あった なる なった なに なん どれ どの どこ どう どんな いつ だれ だっけ っけ これ それ あれ この その あの
  ここ そこ こと もの とき ため みたい もらう あげる おしえて わたし あなた
  は が を に へ と も で や か の な ね よ だ た て`
    .trim()
    .split(/\s+/)
    .sort((a, b) => b.length - a.length)
    .join('|'),
  'gu',
);

/** Irregular forms: a base and its other forms, then the next. */
const forms = `be am is are was were been being, become became, begin began begun, bite bit bitten, blow blew blown,
  break broke broken, bring brought, build built, buy bought, catch caught, child children, choose chose
  chosen, come came, do did done does, draw drew drawn, drink drank drunk, drive drove driven, eat ate
  eaten, fall fell fallen, feel felt, fight fought, find found, fly flew flown, foot feet, forget forgot
  forgotten, freeze froze frozen, get got gotten, give gave given, go went gone goes, grow grew grown,
  hang hung, have had has, hear heard, hide hid hidden, hold held, keep kept, know knew known, lead led,
  leave left, lend lent, lie lay lain, lose lost, make made, man men, meet met, mean meant, mouse mice,
  pay paid, person people, ride rode ridden, ring rang rung, rise rose risen, run ran, say said, see saw
  seen, seek sought, sell sold, send sent, shake shook shaken, shoot shot, show shown, sing sang sung,
  sink sank sunk, sit sat, sleep slept, speak spoke spoken, spend spent, stand stood, steal stole
  stolen, swim swam swum, take took taken, teach taught, tell told, think thought, throw threw thrown,
  tooth teeth, understand understood, wake woke woken, wear wore worn, wife wives, win won, woman women,
  write wrote written`;

/** Maps an irregular form to its base. */
const irregular: ReadonlyMap<string, string> = new Map(
  forms.split(',').flatMap((each) => {
    const [base = '', ...others] = each.trim().split(/\s+/);
    return others.map((form): [string, string] => [form, base]);
  }),
);
