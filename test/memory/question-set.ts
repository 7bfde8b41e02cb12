/** A memory, and what a person asks when they want it. */
export interface Fact {
  readonly content: string;
  readonly question: string;
}

/**
 * 500 memories a language: 25 people, and 20 things that are known of each, so that a question must meet both the
 * person and the thing. Questions are worded as people ask, not as the memory was written: other forms of the
 * word, another order, other particles. Every third fact is asked for: 167 questions a language.
 */
export function factsIn(language: 'en' | 'ja'): readonly Fact[] {
  const { people, topics } = language === 'en' ? english : japanese;
  return people.flatMap((person, p) =>
    topics.map(({ content, question, values }, t) => {
      const value = values[(p * 7 + t * 3) % values.length] ?? '';
      const fill = (words: string) => words.replaceAll('{p}', person).replaceAll('{v}', value);
      return { content: fill(content), question: fill(question) };
    }),
  );
}

/** The facts that are asked for. */
export function asked(facts: readonly Fact[]): readonly Fact[] {
  return facts.filter((_, i) => i % 3 === 0);
}

interface Topic {
  readonly content: string;
  readonly question: string;
  readonly values: readonly string[];
}

const foods = ['peanuts', 'shrimp', 'rye bread', 'mangoes', 'goat cheese', 'mushrooms', 'oysters', 'lentils'];
const cities = ['Lisbon', 'Sapporo', 'Denver', 'Kyoto', 'Oslo', 'Nairobi', 'Quito', 'Perth', 'Gdansk'];
const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const months = ['January', 'March', 'April', 'June', 'August', 'October', 'December'];
const things = ['bicycle', 'violin', 'tent', 'camera', 'telescope', 'kayak', 'sewing machine'];

const english: { readonly people: readonly string[]; readonly topics: readonly Topic[] } = {
  people:
    `Ann Bob Carla Dmitri Elena Farid Greta Hiro Ines Jonas Keiko Liam Mona Nils Olga Pavel Quinn Rosa Sven
    Tomas Ursula Viktor Wanda Yusuf Zoe`.split(/\s+/),
  topics: [
    { content: '{p} is allergic to {v}.', question: 'What allergy does {p} have?', values: foods },
    {
      content: '{p} went to {v} last summer with the family.',
      question: 'Where did {p} go in the summer?',
      values: cities,
    },
    {
      content: '{p} bought a used {v} at the flea market.',
      question: 'What did {p} buy at a flea market?',
      values: things,
    },
    { content: "{p}'s birthday is in {v}.", question: 'When is the birthday of {p}?', values: months },
    {
      content: 'The dentist appointment of {p} is on {v} at half past nine.',
      question: 'Which day does {p} see the dentist?',
      values: days,
    },
    {
      content: '{p} teaches chemistry at a school in {v}.',
      question: 'Where is {p} teaching chemistry?',
      values: cities,
    },
    {
      content: '{p} prefers answers in bullet points, without {v}.',
      question: 'How does {p} prefer to be answered?',
      values: ['emojis', 'tables', 'headings', 'jokes'],
    },
    {
      content: 'The wifi password at the office of {p} is written on the {v}.',
      question: "Where do I find the wifi password in {p}'s office?",
      values: ['whiteboard', 'router', 'fridge', 'door'],
    },
    {
      content: '{p} has three children and a dog called {v}.',
      question: 'How is the dog of {p} called?',
      values: ['Biscuit', 'Rex', 'Mochi', 'Luna', 'Turbo'],
    },
    {
      content: '{p} runs {v} kilometres every morning before work.',
      question: 'How far does {p} run in the mornings?',
      values: ['four', 'six', 'eight', 'twelve'],
    },
    {
      content: '{p} deploys releases with the script {v}.sh.',
      question: 'Which script does {p} use for deploying a release?',
      values: ['ship-it', 'rollout', 'blue-green', 'canary'],
    },
    {
      content: 'The favorite colour of {p} is {v}.',
      question: "What is {p}'s favorite colour?",
      values: ['blue', 'green', 'crimson', 'teal', 'amber'],
    },
    {
      content: '{p} wrote a book about {v}.',
      question: 'What are the books {p} has written about?',
      values: ['beekeeping', 'glaciers', 'typography', 'tea houses'],
    },
    {
      content: '{p} keeps the backups of the photos on a {v}.',
      question: 'Where is {p} keeping backup copies of photos?',
      values: ['tape drive', 'home server', 'USB stick', 'cloud bucket'],
    },
    {
      content: '{p} cancelled the gym membership and took up {v}.',
      question: 'Why is {p} no longer a member of the gym?',
      values: ['climbing', 'rowing', 'judo', 'yoga'],
    },
    {
      content: '{p} pays the rent on the {v} of each month.',
      question: 'When is {p} paying rent?',
      values: ['first', 'third', 'fifth', 'tenth'],
    },
    {
      content: '{p} thinks that the {v} migration should wait until the audit is over.',
      question: 'What did {p} think about migrating?',
      values: ['database', 'billing', 'mail', 'storage'],
    },
    {
      content: 'Meetings with {p} are best held on {v} afternoons.',
      question: 'What is the best time for meeting {p}?',
      values: days,
    },
    {
      content: '{p} lost a suitcase on the flight from {v}.',
      question: 'On what flight did {p} lose suitcases?',
      values: cities,
    },
    {
      content: '{p} speaks {v} at home and English at work.',
      question: 'Which languages does {p} speak at home?',
      values: ['Polish', 'Korean', 'Swahili', 'Basque', 'Hindi'],
    },
  ],
};

const japanese: typeof english = {
  people:
    '佐藤 鈴木 高橋 田中 伊藤 渡辺 山本 中村 小林 加藤 吉田 山田 佐々木 山口 松本 井上 木村 清水 斎藤 森 池田 橋本 石川 前田 藤田'.split(
      ' ',
    ),
  topics: [
    {
      content: '{p}さんは{v}アレルギーがある',
      question: '{p}さんのアレルギーは何ですか？',
      values: ['そば', 'えび', '卵', '小麦', '落花生'],
    },
    {
      content: '{p}さんの好きな色は{v}',
      question: '{p}さんが好きな色は何色？',
      values: ['青', '緑', '深紅', '水色', '琥珀色'],
    },
    {
      content: '去年の夏に{p}さんは家族と{v}へ旅行した',
      question: '{p}さんの夏の旅行先はどこ？',
      values: ['札幌', '京都', '沖縄', '金沢', '長崎'],
    },
    {
      content: '{p}さんの誕生日は{v}',
      question: '{p}さんの誕生日を教えて',
      values: ['一月三日', '四月十日', '八月一日', '十月九日'],
    },
    {
      content: '歯医者の予約は{p}さんが{v}曜日の九時半',
      question: '{p}さんはいつ歯医者に行くんだっけ',
      values: ['月', '火', '水', '木', '金'],
    },
    {
      content: '{p}さんは{v}の高校で化学を教えている',
      question: '化学を{p}さんが教えている学校は？',
      values: ['横浜', '仙台', '名古屋', '神戸'],
    },
    {
      content: '{p}さんは箇条書きの回答を好み、{v}は要らないと言った',
      question: '{p}さんへの回答の書き方',
      values: ['絵文字', '表', '見出し', '冗談'],
    },
    {
      content: '{p}さんの事務所のWi-Fiのパスワードは{v}に書いてある',
      question: '{p}さんの事務所でWi-Fiのパスワードはどこを見ればいい？',
      values: ['ホワイトボード', 'ルーター', '冷蔵庫', '玄関'],
    },
    {
      content: '{p}さんの飼い犬の名前は{v}',
      question: '{p}さんが飼っている犬は何という名前？',
      values: ['もち', 'ココア', 'タロウ', 'ルナ'],
    },
    {
      content: '{p}さんは毎朝{v}キロ走ってから出社する',
      question: '{p}さんは朝に何キロ走る？',
      values: ['四', '六', '八', '十二'],
    },
    {
      content: '{p}さんはS3バケットの{v}にバックアップを置いている',
      question: 'バックアップを置く{p}さんのバケットは？',
      values: ['photos-main', 'archive-7', 'cold-store'],
    },
    {
      content: '{p}さんはリリースのデプロイに{v}を使う',
      question: '{p}さんがデプロイに使っているスクリプト',
      values: ['ship-it.sh', 'rollout.sh', 'canary.sh'],
    },
    {
      content: '{p}さんは{v}についての本を書いた',
      question: '{p}さんが書いた本のテーマは何ですか',
      values: ['養蜂', '氷河', '活字', '茶室'],
    },
    {
      content: '{p}さんはジムを退会して{v}を始めた',
      question: '{p}さんはなぜジムをやめたの？',
      values: ['登山', 'ボート', '柔道', 'ヨガ'],
    },
    {
      content: '{p}さんの家賃の支払いは毎月{v}日',
      question: '{p}さんはいつ家賃を払う？',
      values: ['一', '三', '五', '二十五'],
    },
    {
      content: '{p}さんは{v}の移行を監査の後まで待つべきだと考えている',
      question: '移行の時期について{p}さんの考えは？',
      values: ['データベース', '請求', 'メール', 'ストレージ'],
    },
    {
      content: '{p}さんとの打ち合わせは{v}曜日の午後がよい',
      question: '{p}さんと打ち合わせするのに良い曜日',
      values: ['月', '火', '水', '木', '金'],
    },
    {
      content: '{p}さんは{v}からの便でスーツケースをなくした',
      question: 'スーツケースを{p}さんが紛失した便は？',
      values: ['リスボン', 'オスロ', 'デンバー', 'ナイロビ'],
    },
    {
      content: '{p}さんは蚤の市で中古の{v}を買った',
      question: '蚤の市で{p}さんが買ったものは何でしたか',
      values: ['自転車', 'バイオリン', 'テント', '望遠鏡'],
    },
    {
      content: '{p}さんは家では{v}を話す',
      question: '{p}さんの家で話される言葉は？',
      values: ['ポーランド語', '韓国語', 'バスク語', 'ヒンディー語'],
    },
  ],
};
