import { agentCli } from './agent-cli.ts';
import { assistant } from './assistant.ts';
import { authorization } from './authorization.ts';
import { type Definition, definitions, type Member, memberOf } from './definitions.ts';
import { pipeline } from './pipeline.ts';
import { type Point, point } from './points.ts';
import { vault } from './vault.ts';

type Language = 'en' | 'ja';

const documents = [
  { id: '000', en: 'The tools of the agent command line', ja: '内製MCPツールの詳細定義', points: agentCli },
  { id: '001', en: 'The tools of the assistant', ja: 'ツール（Tools）仕様', points: assistant },
  { id: '002', en: 'Authorization and help', ja: 'ツール認可拡張設計', points: authorization },
  { id: '003', en: 'The vault', ja: '統合MCPサーバ v2 Vault仕様', points: vault },
  { id: '004', en: 'Pipelines (shelpa-mcp)', ja: 'shelpa-mcp 仮想パイプライン', points: pipeline },
] as const;

const definedIn: Readonly<Record<string, string>> = {
  file_read: 'tools/agent-cli/file-read.ts',
  file_write: 'tools/agent-cli/file-write.ts',
  shell_exec: 'tools/agent-cli/shell-exec.ts',
  read_file: 'tools/assistant/read-file.ts',
  write_file: 'tools/assistant/write-file.ts',
  edit_file: 'tools/assistant/editing/edit-file.ts',
  list_files: 'tools/assistant/list-files.ts',
  glob: 'tools/assistant/glob.ts',
  grep: 'tools/assistant/grep.ts',
  bash: 'tools/assistant/bash/bash.ts',
  web_fetch: 'tools/assistant/web-fetch.ts',
  remember: 'tools/assistant/memory.ts',
  recall: 'tools/assistant/memory.ts',
  help: 'tools/help/help.ts',
  vault_create: 'tools/vault/vault-create.ts',
  vault_read: 'tools/vault/vault-read.ts',
  vault_scan: 'tools/vault/vault-scan.ts',
  vault_replace: 'tools/vault/vault-replace.ts',
  shelpa_pipe: 'tools/pipeline/shelpa-pipe.ts',
};

/** Every point of the five documents: first the members of its tools, then what it says in words. */
export const checklist: readonly { readonly id: string; readonly points: readonly Point[] }[] = documents.map(
  ({ id, points }) => ({
    id,
    points: [...definitions.filter(({ document }) => document === id).flatMap(pointsOf), ...points],
  }),
);

/** How many points the script finds to work by calls; a test runs it and compares. */
export const triedByCalls = 284;

const words = {
  title: { en: 'The five documents, point by point', ja: '5 つの文書の全項目' },
  intro: {
    en: (all: number, differing: number) => [
      'Sekisho implements five design documents. Each row names a point from one of them, the file that implements it and the test',
      `that checks it. Of ${all} points, ${all - differing} hold as written; ${differing} differ on purpose, and the row says how and why.`,
      `\`npm run documents\` tries ${triedByCalls} of them on the built server by \`tools/list\` and \`tools/call\`; the tests show the others.`,
    ],
    ja: (all: number, differing: number) => [
      'Sekisho は 5 つの設計文書を実装しています。各行は、文書の項目、実装したファイル、確認するテストを示します。',
      `全 ${all} 項目のうち ${all - differing} 項目は文書のとおりです。残りの ${differing} 項目は意図的に変えており、違いと理由を行に示します。`,
      `\`npm run documents\` は、そのうち ${triedByCalls} 項目を、ビルドしたサーバーで \`tools/list\` と \`tools/call\` により確かめます。残りはテストが示します。`,
    ],
  },
  heads: { en: '| point | where | test |', ja: '| 項目 | 場所 | テスト |' },
  differs: { en: 'Differs', ja: '相違' },
} as const;

/** The checklist as a page. */
export function documentsPage(language: Language): string {
  const all = checklist.flatMap(({ points }) => points);
  const differing = all.filter(({ differs }) => differs !== undefined).length;
  const sections = documents.flatMap((document, at) => [
    '',
    `## ${document.id}: ${document[language]}`,
    '',
    words.heads[language],
    '| --- | --- | --- |',
    ...(checklist[at]?.points ?? []).map((each) => rowOf(each, language)),
  ]);
  return `${[`# ${words.title[language]}`, '', ...words.intro[language](all.length, differing), ...sections].join('\n')}\n`;
}

function rowOf({ code, test, title, differs, ...said }: Point, language: Language): string {
  const difference = differs ? `<br>*${words.differs[language]}*: ${differs[language]}` : '';
  return `| ${escaped(said[language] + difference)} | \`${code}\` | \`${test}\`: ${escaped(title)} |`;
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|');
}

function pointsOf({ tool, takes, gives = {}, hints = {} }: Definition): readonly Point[] {
  const code = definedIn[tool] ?? '';
  const test = 'documents/definitions';
  return [
    ...members(takes).map((member) =>
      point(
        `\`${tool}\` takes \`${member.name}\` (${typeOf(member, 'en')})`,
        `\`${tool}\` の引数 \`${member.name}\`（${typeOf(member, 'ja')}）`,
        code,
        test,
        '$tool takes what document $document says, and needs no more',
      ),
    ),
    ...members(gives).map((member) =>
      point(
        `\`${tool}\` returns \`${member.name}\` (${typeOf({ ...member, isRequired: false }, 'en')})`,
        `\`${tool}\` の結果 \`${member.name}\`（${typeOf({ ...member, isRequired: false }, 'ja')}）`,
        code,
        test,
        '$tool gives what document $document says',
      ),
    ),
    ...Object.entries(hints).map(([hint, value]) =>
      point(
        `\`${tool}\` has \`${hint}Hint: ${value}\``,
        `\`${tool}\` は \`${hint}Hint: ${value}\``,
        code,
        test,
        '$tool has the hints of document $document',
      ),
    ),
  ];
}

function members(given: Readonly<Record<string, string>>): readonly Member[] {
  return Object.entries(given).map(([name, described]) => memberOf(name, described));
}

function typeOf({ type, isRequired, isNullable, fallback }: Member, language: Language): string {
  const more = {
    en: [
      isRequired ? 'required' : '',
      isNullable ? 'or null' : '',
      fallback === undefined ? '' : `default ${JSON.stringify(fallback)}`,
    ],
    ja: [
      isRequired ? '必須' : '',
      isNullable ? 'null 可' : '',
      fallback === undefined ? '' : `既定値 ${JSON.stringify(fallback)}`,
    ],
  }[language];
  return [type, ...more.filter((word) => word !== '')].join(language === 'en' ? ', ' : '、');
}
