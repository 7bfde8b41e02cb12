import type { Folder } from '../../contract/capabilities/files.ts';
import { type SymbolQuery, stageError } from '../../contract/capabilities/pipeline.ts';
import { ToolError } from '../../contract/error.ts';
import { text, verbatim } from '../../contract/text/text.ts';
import { createGiveWay } from '../names/walk-names.ts';
import { escaped, isFolderAt, placeOf } from '../operands.ts';
import type { Builtin } from '../ports.ts';
import { readFrom } from '../records/mirror.ts';
import type { CodeIndex } from './code-index.ts';
import { type CodeSymbol, languageOf } from './symbol.ts';

export interface OutlineOptions {
  /** The command whose error format is used. */
  readonly command: string;
  readonly folder: Folder;
  readonly cwd: string;
  readonly index: CodeIndex;
  /** Files below a path, as ripgrep lists them, sorted. */
  list(below: string): Promise<readonly string[]>;
}

/** `ctree_generate`: files and their definitions, indented, with lines. */
export function outline(path: string, options: OutlineOptions): Builtin {
  return async ({ write, signal }) => {
    if (!(await write(`# ctree ${path}\n`))) return { exitCode: 0 };
    for await (const { file, symbols } of filesBelow(path, options, signal)) {
      if (!(await write(`${file}\n${symbols.map((symbol) => linesOf(symbol, 1)).join('')}`))) break;
    }
    return { exitCode: 0 };
  };
}

/** `ctree_check`: definitions that were added, removed or moved since the outline was saved; exits 1 if any. */
export function checkOutline(file: string, options: OutlineOptions): Builtin {
  return async ({ write, signal }) => {
    const saved = await readSaved(file, options, signal);
    const before = readOutline(saved);
    const path = /^# ctree (.*)$/m.exec(saved)?.[1] ?? '.';
    const now = new Map<string, string>();
    for await (const { file: code, symbols } of filesBelow(path, options, signal)) {
      for (const [name, lines] of readOutline(
        `${code}\n${symbols.map((symbol) => linesOf(symbol, 1)).join('')}`,
      ))
        now.set(name, lines);
    }
    const changes: string[] = [];
    for (const [name, lines] of before) {
      const current = now.get(name);
      if (current === undefined) changes.push(`- ${name} ${lines}`.trimEnd());
      else if (current !== lines) changes.push(`~ ${name} ${lines} -> ${current}`);
    }
    for (const [name, lines] of now) if (!before.has(name)) changes.push(`+ ${name} ${lines}`.trimEnd());
    await write(changes.map((line) => `${line}\n`).join(''));
    return { exitCode: changes.length > 0 ? 1 : 0 };
  };
}

async function readSaved(file: string, options: OutlineOptions, signal: AbortSignal): Promise<string> {
  try {
    return (await placeOf(file, options.command, options).readWhole({ signal })).text;
  } catch (error) {
    if (error instanceof ToolError && error.code === 'not_found') throw notSaved(file);
    throw escaped(error, file, options.command);
  }
}

function notSaved(file: string): ToolError {
  return stageError(
    text(`ctree_check: there is no outline in ${file}.`, `ctree_check: ${file} にアウトラインがありません。`),
    verbatim('ctree_generate | tee .ctree'),
  );
}

/** `serena_find_symbol`: definitions by name path, `path:line:kind name_path`. */
export function findSymbols(query: SymbolQuery, options: OutlineOptions): Builtin {
  return async ({ write, signal }) => {
    const anchored = query.namePath.startsWith('/');
    const wanted = query.namePath.split('/').filter((part) => part !== '');
    for await (const { file, symbols } of filesBelow(query.below, options, signal)) {
      let source: readonly string[] | undefined;
      const found: string[] = [];
      const visit = (symbol: CodeSymbol, above: readonly string[], extra: number): void => {
        const path = [...above, ...partsOf(symbol.name)];
        const matched =
          matches(path, wanted, anchored, query.substring) &&
          (query.kinds.length === 0 || query.kinds.includes(symbol.kind));
        if (matched || extra > 0) {
          found.push(`${file}:${symbol.line}:${symbol.kind} ${path.join('/')}\n`);
          if (matched && query.body) {
            source ??= sourceLines(file, options);
            found.push(`${source.slice(symbol.line - 1, symbol.endLine).join('\n')}\n`);
          }
        }
        for (const child of symbol.children)
          visit(child, path, matched ? query.depth : Math.max(0, extra - 1));
      };
      for (const symbol of symbols) visit(symbol, [], 0);
      if (found.length > 0 && !(await write(found.join('')))) break;
    }
    return { exitCode: 0 };
  };
}

async function* filesBelow(path: string, options: OutlineOptions, signal: AbortSignal) {
  const files = !isFolderAt(path, options.command, options)
    ? [path]
    : (await options.list(path)).filter((file) => languageOf(file) !== undefined);
  const giveWay = createGiveWay();
  for (const file of files) {
    signal.throwIfAborted();
    await giveWay();
    const symbols = await options.index.symbolsOf(file, options.cwd);
    if (symbols) yield { file, symbols };
  }
}

function linesOf(symbol: CodeSymbol, depth: number): string {
  const lines = symbol.line === symbol.endLine ? `${symbol.line}` : `${symbol.line}-${symbol.endLine}`;
  const own = `${'  '.repeat(depth)}${symbol.kind} ${symbol.name} ${lines}\n`;
  return own + symbol.children.map((child) => linesOf(child, depth + 1)).join('');
}

/** An outline as a map from `file: kind A/B` (numbered if repeated) to its lines. */
function readOutline(saved: string): Map<string, string> {
  const names = new Map<string, string>();
  let file = '';
  let above: string[] = [];
  for (const line of saved.split('\n')) {
    if (line === '' || line.startsWith('# ctree ')) continue;
    const [, indent, kind, name, lines] = /^( +)(\S+) (.*) (\d+(?:-\d+)?)$/.exec(line) ?? [];
    if (indent === undefined || name === undefined) {
      file = line;
      above = [];
      names.set(file, '');
      continue;
    }
    above = [...above.slice(0, indent.length / 2 - 1), name];
    const key = `${file}: ${kind} ${above.join('/')}`;
    let unique = key;
    for (let count = 2; names.has(unique); count++) unique = `${key} #${count}`;
    names.set(unique, lines ?? '');
  }
  return names;
}

function matches(
  path: readonly string[],
  wanted: readonly string[],
  anchored: boolean,
  substring: boolean,
): boolean {
  if (wanted.length > path.length || (anchored && wanted.length !== path.length)) return false;
  const end = path.slice(path.length - wanted.length);
  return wanted.every((part, index) =>
    substring && index === wanted.length - 1
      ? (end[index] ?? '').includes(part)
      : isNamed(end[index] ?? '', part),
  );
}

/** `ns::A<T>::m` and `A.m` are paths. */
function partsOf(name: string): string[] {
  if (/[(\s]/.test(name)) return [name];
  return name.split(/::(?![^<]*>)|\.(?=[^.])/).filter((part) => part !== '');
}

/** `Stack` matches `Stack<T>`, and `From<X> for Stack<T>` as well. */
function isNamed(name: string, wanted: string): boolean {
  const last = name.split(' for ').at(-1) ?? name;
  return name === wanted || last === wanted || last.replace(/<.*>$/s, '') === wanted;
}

function sourceLines(file: string, { folder, cwd }: OutlineOptions): readonly string[] {
  const place = folder.at(file, { base: cwd });
  return readFrom(place, 0, place.stat().bytes).toString('utf8').split(/\r?\n/);
}
