import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';

const pages = join(import.meta.dirname, '../.pages');

/** What a reader looks for, in the order in which they meet it. A page in no group comes last. */
const groups: readonly (readonly [en: string, ja: string, pages: readonly string[]])[] = [
  [
    'Start here',
    'はじめに',
    [
      'first-hour',
      'connecting',
      'projects',
      'troubleshooting',
      'for-one',
      'for-teams',
      'for-operators',
      'for-toolmakers',
      'for-auditors',
      'for-contributors',
    ],
  ],
  ['Use', '使い方', ['clients', 'hooks', 'ask', 'console', 'undo', 'effects', 'dry-run', 'tools']],
  [
    'Rules and access',
    'ルールとアクセス',
    ['policy', 'questions', 'notices', 'flow', 'network', 'secrets', 'servers', 'team'],
  ],
  [
    'Operate',
    '運用',
    ['installing', 'operating', 'oauth', 'observing', 'configuration', 'errors', 'performance'],
  ],
  ['Verify and extend', '検証と拡張', ['threat-model', 'score', 'documents', 'library']],
];

export default defineConfig({
  srcDir: '.pages',
  outDir: 'dist',
  title: 'Sekisho',
  description: 'The checkpoint between AI agents and your machine.',
  cleanUrls: true,
  lastUpdated: false,
  // The pages hold no HTML: <NAME> is a word. Headings are named as the pages' own links have them.
  markdown: { html: false, anchor: { slugify } },
  themeConfig: {
    search: {
      provider: 'local',
      options: { miniSearch: { options: { tokenize: words } } },
    },
    outline: [2, 3],
    socialLinks: [],
  },
  locales: {
    root: { label: 'English', lang: 'en', themeConfig: { sidebar: sidebar('en') } },
    ja: {
      label: '日本語',
      lang: 'ja',
      description: 'AI エージェントとあなたのマシンの間に立つ関所。',
      themeConfig: {
        sidebar: sidebar('ja'),
        outline: { level: [2, 3], label: 'このページ' },
        docFooter: { prev: '前', next: '次' },
        darkModeSwitchLabel: '外観',
        sidebarMenuLabel: 'メニュー',
        returnToTopLabel: '先頭へ',
        langMenuLabel: '言語',
      },
    },
  },
});

function sidebar(language: 'en' | 'ja') {
  const folder = language === 'ja' ? join(pages, 'ja') : pages;
  const there = readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'index.md');
  const left = new Set(there.map((name) => name.slice(0, -'.md'.length)));
  const lists = groups.map(([en, ja, names]) => ({
    text: language === 'ja' ? ja : en,
    items: names.filter((name) => left.delete(name)).map(item),
  }));
  const rest = { text: language === 'ja' ? 'その他' : 'More', items: [...left].sort().map(item) };
  return [...lists, rest].filter(({ items }) => items.length > 0);

  function item(name: string) {
    const [, title = name] = /^# (.*)$/m.exec(readFileSync(join(folder, `${name}.md`), 'utf8')) ?? [];
    return { text: title.replaceAll('`', ''), link: language === 'ja' ? `/ja/${name}` : `/${name}` };
  }
}

function slugify(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** Runs in the reader's browser: Japanese has no spaces between its words. */
function words(text: string): string[] {
  const found: string[] = [];
  for (const { segment, isWordLike } of new Intl.Segmenter('ja', { granularity: 'word' }).segment(text)) {
    if (isWordLike) found.push(segment.toLowerCase());
  }
  return found;
}
