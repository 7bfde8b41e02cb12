import { expect, test } from 'vitest';
import { termsOf, wordsOfQuestion } from './terms.ts';

test.each([
  ['S3バケット', ['s3', 'バ', 'バケ', 'ケ', 'ケッ', 'ッ', 'ット', 'ト']],
  ['Ｆｕｌｌ ｗｉｄｔｈ', ['full', 'width']],
  ['好き', ['好', '好き', 'き']],
  ['ﾃﾝﾄ', ['テ', 'テン', 'ン', 'ント', 'ト']],
  ["Ann's CHILDREN went", ['ann', 'child', 'go']],
  ['openStore max_parallel_tasks r0p1', ['openstor', 'open', 'store', 'max', 'parallel', 'task', 'r0p1']],
  ['café naïve', ['cafe', 'naiv']],
  ['안녕 мир', ['안', '안녕', '녕', 'мир']],
  ['x'.repeat(5000), ['x'.repeat(64)]],
  ['😀 … "!" \0', []],
])('%s is cut into words', (text, words) => {
  expect(termsOf(text)).toEqual(words);
});

test.each([
  ['What is my favorite color?', ['favorit', 'color']],
  ['好きな色は何ですか', ['好', '好き', 'な色', '色', '色は']],
  ['りんごはどこ', ['りん', 'んご']],
  ['誕生日を教えてください', ['誕', '誕生', '生', '生日', '日', '日を']],
  ['the', ['the']],
  ['何ですか', ['何', '何で', 'で', 'です', 'す', 'すか', 'か']],
  ['', []],
])('of the question %s the telling words are asked for, and all where none are', (question, words) => {
  expect(wordsOfQuestion(question)).toEqual(words);
});

// From Porter's paper, one or two of each step.
test.each(
  `caresses caress|ponies poni|cats cat|feed feed|agreed agre|plastered plaster|motoring motor|sing sing
  |conflated conflat|troubled troubl|sized size|hopping hop|falling fall|hissing hiss|failing fail|filing file
  |happy happi|sky sky|relational relat|conditional condit|digitizer digit|vietnamization vietnam|operator oper
  |hopefulness hope|formaliti formal|sensibiliti sensibl|triplicate triplic|formalize formal|electrical electr
  |goodness good|revival reviv|allowance allow|adjustable adjust|replacement replac|adoption adopt|effective effect
  |probate probat|rate rate|cease ceas|controll control|roll roll|generalizations gener|oscillators oscil`
    .split('|')
    .map((pair) => pair.trim().split(' ') as [string, string]),
)('the stem of %s is %s', (word, expected) => {
  expect(termsOf(word)).toEqual([expected]);
});
