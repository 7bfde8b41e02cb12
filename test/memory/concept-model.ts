import { createHash } from 'node:crypto';

/**
 * A stand-in for an embedding model, the same each time: words of one meaning, in either language, share a
 * direction; other words and pairs of letters have weak ones of their own; and all texts lean to one side, as they
 * do with real models.
 */
export function conceptVector(text: string, dimensions = 256): readonly number[] {
  const sum = new Float64Array(dimensions);
  const add = (name: string, weight: number) => {
    const random = randomOf(name);
    for (let at = 0; at < dimensions; at += 1) sum[at] = (sum[at] ?? 0) + weight * random();
  };
  add('every text', 2);
  add(`noise of ${text}`, 0.7);
  let rest = text.toLowerCase();
  for (const [number, spellings] of concepts.entries()) {
    for (const spelling of spellings) {
      if (!rest.includes(spelling)) continue;
      add(`concept ${number}`, 2);
      rest = rest.replaceAll(spelling, ' ');
      break;
    }
  }
  for (const word of rest.match(/[a-z0-9]{3,}/g) ?? []) {
    if (!common.has(word)) add(`word ${word.replace(/(?:ing|ed|es|s)$/, '')}`, 0.8);
  }
  for (const run of rest.match(/[\p{Script=Han}\p{Script=Katakana}ー]+/gu) ?? []) {
    for (let at = 0; at + 1 < run.length; at += 1) add(`pair ${run.slice(at, at + 2)}`, 0.8);
  }
  return Array.from(sum);
}

/** Paraphrases: memory and question of a language have no telling word in common. */
export const paraphrases: Readonly<
  Record<'en' | 'ja', readonly { readonly content: string; readonly question: string }[]>
> = {
  en: [
    { content: 'Grandma drives an old automobile.', question: 'What kind of car does my grandmother have?' },
    { content: 'The physician said to avoid salt.', question: 'Any advice from the doctor about seasoning?' },
    {
      content: 'Rent for the flat is due on Fridays.',
      question: 'Which weekday must the apartment be paid?',
    },
    { content: 'Our pup is afraid of thunder.', question: 'What scares the dog?' },
    { content: 'My spouse adores tulips.', question: 'Which flowers does my wife love?' },
    { content: 'The movie begins at eight tonight.', question: 'At what time does the film start?' },
    { content: 'The attorney charges by the hour.', question: 'How does the lawyer bill?' },
    { content: 'The infant sleeps until noon.', question: 'When does the baby wake up?' },
    { content: 'Purchase a present for Mother.', question: 'What gift should I buy for mom?' },
    {
      content: 'The laptop crashes when it gets hot.',
      question: 'Why does my notebook computer break down?',
    },
    { content: 'The boss is furious about the delay.', question: 'Is my manager angry that we are late?' },
    {
      content: 'The physician recommended a stroll after supper.',
      question: 'Should I take a walk when dinner is over, says the doctor?',
    },
  ],
  ja: [
    { content: '祖母は古い自動車に乗っている', question: 'おばあちゃんのクルマはどんなの' },
    { content: '医者に塩分を控えるよう言われた', question: 'ドクターの味付けについての助言' },
    { content: '部屋の賃料は金曜が期限', question: 'アパートの支払いはいつまで' },
    { content: '子犬は雷を怖がる', question: 'ワンちゃんが苦手なもの' },
    { content: '妻はチューリップを好む', question: '奥さんが愛する花' },
    { content: '映画は今夜八時に始まる', question: 'シネマの開演時刻' },
    { content: '弁護士は時間制で請求する', question: 'ロイヤーの料金体系' },
    { content: '赤ん坊は正午まで眠る', question: 'ベビーが起きるのは' },
    { content: '母に贈り物を購入する', question: 'お袋へのプレゼントは買った？' },
    { content: '薬局は二十時に閉店する', question: 'ドラッグストアは何時まで' },
    { content: '上司は遅延に激怒している', question: 'ボスは遅れに腹を立てている？' },
    { content: '夕食後の散歩を勧められた', question: 'ディナーの後に歩くべき？' },
  ],
};

const concepts: readonly (readonly string[])[] = [
  ['automobile', 'car ', '自動車', 'クルマ'],
  ['grandma', 'grandmother', '祖母', 'おばあちゃん'],
  ['physician', 'doctor', '医者', 'ドクター'],
  ['salt', 'seasoning', '塩分', '味付け'],
  ['flat ', 'apartment', '部屋', 'アパート'],
  ['rent ', 'paid', '賃料', '支払い'],
  ['fridays', 'weekday', '期限', 'いつまで'],
  ['pup ', 'dog', '子犬', 'ワンちゃん'],
  ['afraid', 'scare', '怖が', '苦手'],
  ['spouse', 'wife', '妻', '奥さん'],
  ['tulip', 'flower', 'チューリップ', '花'],
  ['adores', 'love', '好む', '愛する'],
  ['movie', 'film', '映画', 'シネマ'],
  ['begins', 'start', '始まる', '開演'],
  ['attorney', 'lawyer', '弁護士', 'ロイヤー'],
  ['charges', 'bill', '請求', '料金'],
  ['infant', 'baby', '赤ん坊', 'ベビー'],
  ['sleeps', 'wake', '眠る', '起きる'],
  ['purchase', 'buy', '購入', '買った'],
  ['present', 'gift', '贈り物', 'プレゼント'],
  ['mother', 'mom', '母に', 'お袋'],
  ['laptop', 'notebook computer', '薬局', 'ドラッグストア'],
  ['crashes', 'break down', '閉店', '何時まで'],
  ['boss', 'manager', '上司', 'ボス'],
  ['furious', 'angry', '激怒', '腹を立て'],
  ['delay', 'late', '遅延', '遅れ'],
  ['stroll', 'walk', '散歩', '歩く'],
  ['supper', 'dinner', '夕食', 'ディナー'],
];

const common = new Set(
  'the and for what does which with that when how any about from are has have was his her its this where why who did'.split(
    ' ',
  ),
);

/** Numbers between -1 and 1 that follow from a name. */
function randomOf(name: string): () => number {
  let state = createHash('sha256').update(name).digest().readUInt32LE() | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state | 0) / 2 ** 31;
  };
}
