/** English words without meaning for a search; dropped from queries, never from memories. */
export const stopWords: ReadonlySet<string> = new Set(
  `a about all also am an and any are as at be been being but by can could d did do does doing don for from had has
  have having he her hers him his how i if in into is it its just ll m may me might mine more most my no nor not of
  off on once only or our ours out over own please re s same shall she should so some such t tell than that the
  their theirs them then there these they this those to too up us ve very was we were what when where which while
  who whom whose why will with would you your yours`.split(/\s+/),
);

/**
 * Japanese grammatical words: particles, endings, auxiliaries and question words. Longest first, since a regular
 * expression takes the first match.
 */
export const japaneseGrammar = new RegExp(
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
