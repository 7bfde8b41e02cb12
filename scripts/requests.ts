import { type Locale, type Text, text } from '../src/contract/text/text.ts';
import { forKnown, forStrangers } from '../src/network/edge/kinds/carried.ts';
import type { Dialect } from '../src/network/edge/kinds/dialect.ts';
import { rest } from '../src/network/edge/kinds/dialects/rest.ts';
import { dialects, everywhere } from '../src/network/edge/kinds/dialects.ts';

/** The page about kinds of requests, from the tables that judge them. */
export function requestsPage(locale: Locale): string {
  const all = [...everywhere, ...dialects, rest];
  const lines: readonly (Text | string)[] = [
    ...head,
    ...all.flatMap((dialect) => sectionOf(dialect, locale)),
    ...adding,
  ];
  return `${lines.map((line) => (typeof line === 'string' ? line : line[locale])).join('\n')}\n`;
}

function sectionOf(
  { name, hosts, shape, isShared, rows }: Dialect,
  locale: Locale,
): readonly (Text | string)[] {
  const quoted = hosts.map((host) => `\`${host}\``).join(', ');
  const bounds = isShared
    ? text(
        ' Strangers own what is there, so a reading request may carry as much as to any host.',
        '利用者は誰でも公開できるため、読み取りの上限は任意のホストと同じです。',
      )
    : text('', '');
  const known =
    hosts.length > 0
      ? [text(`Known hosts: ${quoted}.${bounds.en}`, `既知のホスト: ${quoted}。${bounds.ja}`)]
      : [];
  const shaped = shape
    ? [
        text(
          'Any other host that is asked in this form.',
          'この形のリクエストを受けるほかのホストも含みます。',
        ),
      ]
    : [];
  return [
    `## ${name}`,
    '',
    ...[...known, ...shaped].flatMap((line) => [line, '']),
    text('| request | kind | meaning |', '| リクエスト | 種類 | 意味 |'),
    '| --- | --- | --- |',
    ...rows.map(({ of, kind, says }) => `| \`${of.replaceAll('|', '\\|')}\` | ${kind} | ${says[locale]} |`),
    '',
  ];
}

const head: readonly (Text | string)[] = [
  text('# Kinds of requests', '# リクエストの種類'),
  '',
  text('[日本語](requests.ja.md)', '[English](requests.md)'),
  '',
  text(
    'Each request to a listed host ([network](network.md)) has one of six kinds. `read` passes. A person is asked about `send`, `change`,',
    '列挙したホスト（[ネットワーク](network.ja.md)）へのリクエストは、6 種類のいずれかです。`read` は通ります。`send`、`change`、',
  ),
  text('`delete`, `publish` and `rights`.', '`delete`、`publish`、`rights` は人に確認します。'),
  '',
  text(
    'A request is judged by the first row that fits, in the order of this page:',
    '次の順で、最初に当てはまる行で判定します。',
  ),
  '',
  text(
    '1. websockets, gRPC and GraphQL by GET, at any host;',
    '1. どのホストでも: WebSocket、gRPC、GET による GraphQL',
  ),
  text('2. the tables that name the host;', '2. ホストを挙げている表'),
  text(
    '3. other tables, if the request has their form. A reading row with a body counts only if the whole body was read and is nothing else;',
    '3. リクエストの形が合うほかの表。本文のある読み取りの行は、本文全体を読み、ほかに何もない場合に限ります',
  ),
  text(
    '4. `rest`, by the method. Other methods are `send`.',
    '4. メソッドによる `rest`。ほかのメソッドは `send` です',
  ),
  '',
  text('## A reading request that is a sending one', '## 読み取りの形をした送信'),
  '',
  text(
    'A request in the form of a reading one is `send` if it carries more than reading needs, since a file can stand in a query:',
    'クエリにファイルを入れることもできるため、読み取りに必要な量を超えるものは `send` です。',
  ),
  '',
  text(
    '| part | at most, any host | at most, known host |',
    '| 部分 | 上限（任意のホスト） | 上限（既知のホスト） |',
  ),
  '| --- | --- | --- |',
  bound(text('characters of the path', 'パスの文字数'), 'path'),
  bound(text('characters of one segment', '1 区切りの文字数'), 'segment'),
  bound(text('characters of the query', 'クエリの文字数'), 'query'),
  bound(text('characters of cookies', 'クッキーの文字数'), 'cookies'),
  bound(
    text('characters of a token; a password has two thirds', 'トークンの文字数（パスワードは 3 分の 2）'),
    'login',
  ),
  bound(
    text(
      'characters of headers that programs do not send by themselves',
      'プログラムが自分では送らないヘッダーの文字数',
    ),
    'headers',
  ),
  bound(text('characters that look encoded', '符号化されたように見える文字数'), 'encoded'),
  bound(text('such characters in one word', 'そのうち 1 語の文字数'), 'token'),
  bound(text('such characters that decode to a text', 'そのうち文章に戻せる文字数'), 'text'),
  bound(text('digests and UUIDs', 'ダイジェストと UUID の数'), 'identifiers'),
  '',
  text(
    'So is one with a body, with a secret anywhere but in its login, with a credential that another service issued, or in a form that',
    '本文のあるもの、認証情報以外の場所に秘密の値があるもの、別のサービスが発行した認証情報のあるもの、ホストによって',
  ),
  text(
    'hosts read in different ways: `..` in the path, a path that is encoded twice, backslashes, `_method`, `X-HTTP-Method-Override`,',
    '読み方の違う形のものも同じです。パスの `..`、二重に符号化されたパス、バックスラッシュ、`_method`、`X-HTTP-Method-Override`、',
  ),
  text(
    '`X-Original-URL`, a second `Host`. Parameters that sign an address (SigV4, Azure) do not count, by their exact form.',
    '`X-Original-URL`、2 つ目の `Host` などです。アドレスの署名（SigV4、Azure）は、正確な形であれば数えません。',
  ),
  '',
];

function bound(part: Text, key: keyof typeof forKnown): Text {
  const numbers = `| ${forStrangers[key]} | ${forKnown[key]} |`;
  return text(`| ${part.en} ${numbers}`, `| ${part.ja} ${numbers}`);
}

const adding: readonly (Text | string)[] = [
  text('## Add a dialect', '## 方言を追加する'),
  '',
  text(
    '1. Write a file in `src/network/edge/kinds/dialects/`; `crates.ts` is a short one to copy.',
    '1. `src/network/edge/kinds/dialects/` にファイルを作ります。短い `crates.ts` を写すと早く書けます。',
  ),
  text(
    '2. Name the hosts. Give `shape` only if its paths are like no other dialect’s.',
    '2. ホストを挙げます。`shape` は、ほかの方言にないパスを使う場合だけ書きます。',
  ),
  text(
    '3. Write a row for each request that is not what its method says, the narrow ones first. `dialect.ts` explains the fields.',
    '3. メソッドどおりでないリクエストごとに行を書きます。狭い行が先です。欄の意味は `dialect.ts` にあります。',
  ),
  text(
    '4. A reading row with a body needs `body`: a function that reads all of it and says what is more than a question.',
    '4. 本文のある読み取りの行には `body` が要ります。本文全体を読み、問い合わせを超える部分を返す関数です。',
  ),
  text(
    '5. Give each row examples in `kinds.test.ts`. Add the dialect to `dialects.ts`.',
    '5. `kinds.test.ts` に各行の例を書き、方言を `dialects.ts` に加えます。',
  ),
  text(
    '6. Run these, of which the second writes this page:',
    '6. 次を実行します。2 つ目がこのページを書きます。',
  ),
  '',
  '```sh',
  'npx vitest run --project rooms src/network/edge/kinds',
  'node scripts/docs.ts',
  '```',
];
