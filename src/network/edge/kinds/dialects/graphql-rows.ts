import { type Text, text } from '../../../../contract/text/text.ts';
import { isRecord } from '../../../../ground/is-record.ts';
import type { RequestKind } from '../../request.ts';
import { type Asked, headerOf } from '../asked.ts';
import { bodyJsonOf } from '../body.ts';
import { forKnown, wordsCarry } from '../carried.ts';
import { type Dialect, type Look, type Row, row } from '../dialect.ts';
import { type Operation, readGraphql } from './graphql.ts';

/** The rows of a GraphQL endpoint: queries read, and anything else is named by the fields of its root. */
export function graphqlRows(path: string): readonly Row[] {
  return [
    row.read(`POST ${path}`, text('queries {host}', '{host} に問い合わせます'), {
      when: (asked) => operationsOf(asked)?.every(({ type }) => type === 'query') === true,
      body: queryCarries,
    }),
    row.change(`POST ${path}`, text('changes something at {host}', '{host} の内容を変更します'), {
      when: (asked) => operationsOf(asked) !== undefined,
      look: (asked) => mutationLook(asked, path),
    }),
    row.send(
      `POST ${path}`,
      text('sends what cannot be read to {host}', '{host} に内容を読み取れないものを送ります'),
    ),
  ];
}

/** Servers that answer GET may run what its query says. */
export const graphqlByGet: Dialect = {
  name: 'graphql',
  hosts: [],
  rows: [
    row.change('GET|HEAD *?query', text('changes something at {host}', '{host} の内容を変更します'), {
      when: ({ query }) =>
        query.some(
          ([name, value]) =>
            name === 'query' && readGraphql(value)?.operations.some(({ type }) => type !== 'query') === true,
        ),
    }),
  ],
};

/** The operations that a request runs; undefined if it is not JSON of known keys, or its query cannot be read. */
function operationsOf(asked: Asked): readonly Operation[] | undefined {
  const operations = requestsOf(asked)?.map((request) => {
    const all = readGraphql(request.query)?.operations;
    const named = all?.filter(({ name }) => name === request.operationName);
    // Of several operations, the one that is named runs; if it is not clear which, any may.
    return request.operationName !== undefined && named?.length === 1 ? named : all;
  });
  return operations?.every((each) => each !== undefined) ? operations.flat() : undefined;
}

interface GraphqlRequest {
  readonly query: string;
  readonly operationName: string | undefined;
  readonly variables: unknown;
}

const maxBatch = 20;

function requestsOf(asked: Asked): readonly GraphqlRequest[] | undefined {
  const type =
    headerOf(asked, 'content-type') ?? (asked.headers.has('content-type') ? '' : 'application/json');
  if (asked.query.length > 0 || !/^application\/json\s*(?:;|$)/i.test(type)) return undefined;
  const body = bodyJsonOf(asked);
  const all = Array.isArray(body) ? body : [body];
  const requests = all.map(requestOf);
  return all.length <= maxBatch && requests.every((each) => each !== undefined) ? requests : undefined;
}

function requestOf(value: unknown): GraphqlRequest | undefined {
  if (!isRecord(value) || typeof value.query !== 'string') return undefined;
  const { query, operationName = null, variables = null, ...others } = value;
  const isPlain =
    Object.keys(others).length === 0 && (operationName === null || typeof operationName === 'string');
  return isPlain
    ? {
        query,
        operationName: operationName === null || operationName === '' ? undefined : operationName,
        variables,
      }
    : undefined;
}

/** Room for the words of a search. */
const maxVariableChars = 2000;

function queryCarries(asked: Asked): Text | undefined {
  const requests = requestsOf(asked) ?? [];
  const words = requests.flatMap(({ query, variables }) => [
    ...(readGraphql(query)?.strings ?? []),
    ...stringsOf(variables),
  ]);
  if (words.join('').length > maxVariableChars) return text('Its variables are long.', '変数が長すぎます。');
  return (
    wordsCarry(words, asked.request.host, forKnown) ??
    wordsCarry(
      requests.map(({ query }) => query),
      asked.request.host,
      forKnown,
    )
  );
}

function stringsOf(value: unknown, depth = 0): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth > 20)
    return value === null || typeof value !== 'object' ? [] : ['x'.repeat(maxVariableChars + 1)];
  return Object.entries(value).flatMap(([key, member]) => [key, ...stringsOf(member, depth + 1)]);
}

function mutationLook(asked: Asked, path: string): Look {
  const fields = (operationsOf(asked) ?? [])
    .filter(({ type }) => type !== 'query')
    .flatMap((operation) => operation.fields);
  const names = [...new Set(fields)].toSorted().join(', ').slice(0, 200);
  return {
    kind: strongest(fields),
    says: text(`runs ${names} at {host}`, `{host} で ${names} を実行します`),
    covers: `${path}#${[...new Set(fields)].toSorted().join(',')}`,
  };
}

function strongest(fields: readonly string[]): RequestKind {
  if (
    fields.some((field) =>
      /collaborator|member|permission|role|invit|deployKey|token|protection|visibility|secret/i.test(field),
    )
  )
    return 'rights';
  return fields.some((field) => /^(?:delete|remove|destroy|archive)/i.test(field)) ? 'delete' : 'change';
}
