import type { ParsedScript, Word as SyntaxWord, WordPart } from 'unbash';
import { isPlainText } from '../print/quote.ts';
import { counters } from './counters.ts';
import { isHere } from './substitutions.ts';
import { isOneField, literalWord, type Piece, unknownWord, type Word, wordOf } from './word.ts';

/** Reads a word of the syntax tree. */
export function readWord(word: SyntaxWord): Word {
  // To ask for the parts of a word makes them, and most have none.
  if (isPlainText(word.text)) return literalWord(word.text);
  if (!word.parts) {
    if (looksExpanded(word.text)) return unknownWord(word.text);
    const quoted = !word.text.startsWith('~');
    return wordOf([{ kind: 'literal', text: word.value, quoted }], word.text);
  }
  const pieces = word.parts.flatMap((part) => piecesOf(part, false));
  return wordOf(pieces, word.text);
}

function piecesOf(part: WordPart, quoted: boolean): Piece[] {
  switch (part.type) {
    case 'Literal':
      return [{ kind: 'literal', text: part.value, quoted }];
    case 'SingleQuoted':
      return [{ kind: 'literal', text: part.value, quoted: true }];
    case 'AnsiCQuoted':
      // What a \u beyond ASCII becomes depends on the locale of the shell that runs it.
      return /^[\x01-\x7f]*$/.test(part.value) || !/\\[uU]/.test(part.text)
        ? [{ kind: 'literal', text: part.value, quoted: true }]
        : [{ kind: 'unknown', oneField: true }];
    // A message catalogue could translate it, were TEXTDOMAIN not refused.
    case 'LocaleString':
    case 'DoubleQuoted':
      return part.parts.length === 0
        ? [{ kind: 'literal', text: '', quoted: true }]
        : part.parts.flatMap((child) => piecesOf(child, true));
    case 'SimpleExpansion': {
      const name = part.text.replaceAll('\\\n', '').slice(1);
      return [{ kind: 'variable', name, quoted }];
    }
    case 'ParameterExpansion':
      if (part.index || part.operation || part.prefix) return [changedVariable(part, quoted)];
      return [{ kind: 'variable', name: part.parameter, quoted }];
    case 'Glob':
    case 'ExtendedGlob':
      return [{ kind: 'glob', text: part.text }];
    case 'BraceExpansion':
      return [{ kind: 'brace', text: part.text }];
    case 'ArithmeticExpansion':
      return [{ kind: 'unknown', oneField: true, isNumber: true }];
    case 'CommandExpansion': {
      if (isHere(part.script)) return [{ kind: 'variable', name: 'PWD', quoted }];
      const isNumber = countsOnly(part.script);
      return [
        {
          kind: 'unknown',
          oneField: quoted || isNumber,
          isNumber,
          candidates: echoed(part.script),
          script: part.script,
        },
      ];
    }
    case 'ProcessSubstitution':
      return [
        { kind: 'literal', text: '/dev/fd/', quoted: true },
        { kind: 'unknown', oneField: true, script: part.script },
      ];
  }
}

/** `${x:-word}`, `${#x}`, `${x[0]}` and the like. */
function changedVariable(part: WordPart & { type: 'ParameterExpansion' }, quoted: boolean): Piece {
  const { index, operation, parameter, prefix } = part;
  const isNumber = prefix === '#' && !operation;
  const isAll = index !== undefined && /^[@*]$/.test(index.text) && !operation;
  const operand = operation?.type === 'Default' ? readWord(operation.operand).value : undefined;
  const isPlain = operation?.type === 'Default' && !prefix && !index && /^[A-Za-z_]\w*$/.test(parameter);
  return {
    kind: 'unknown',
    oneField: isNumber || (quoted && !isList(part.text)),
    isNumber,
    candidates: operand === undefined ? [] : [operand],
    ...(isAll && !prefix && { listOf: parameter }),
    ...(isAll && prefix === '!' && { keysOf: parameter }),
    ...(isPlain &&
      /^:[-=]$/.test(operation.operator) &&
      operand !== undefined && { name: parameter, otherwise: operand }),
    ...(isPlain && operation.operator === ':?' && { name: parameter }),
  };
}

/** What a substitution of a plain echo gives: good for a suspicion, not for an acquittal. */
function echoed(script: ParsedScript | undefined): readonly string[] {
  const command = script?.commands[0]?.command;
  if (script?.commands.length !== 1 || command?.type !== 'Command') return [];
  if (!/^(echo|printf)$/.test(command.name?.text ?? '')) return [];
  const words = command.suffix.flatMap((part) => (part.type === 'Word' ? [constantOf(part)] : []));
  return [words.join(' '), ...words.flatMap((word) => word ?? [])];
}

/** Not read where it holds another substitution: each level would be read once for every one around it. */
function constantOf(word: SyntaxWord): string | undefined {
  return word.parts?.some(holdsExpansion) ? undefined : readWord(word).value;
}

function holdsExpansion(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') return part.parts.some(holdsExpansion);
  return /(Expansion|Substitution)$/.test(part.type);
}

/** `stat -c %s f` and `grep -c x f`, where no word can turn into an option that prints a name. */
function countsFile(name: string, [first, second, file, ...more]: readonly Word[]): boolean {
  if (first?.value === undefined || second?.value === undefined || more.length > 0) return false;
  if (name === 'stat')
    return first.value === '-c' && /^%[sYXZWhiug]$/.test(second.value) && !!file && isOneField(file);
  return (
    name === 'grep' &&
    /^-[iwxvEFP]*c[iwxvEFP]*$/.test(first.value) &&
    !second.value.startsWith('-') &&
    (file === undefined || (isOneField(file) && /^[^-]/.test(file.prefix)))
  );
}

/** `$(wc -l < f)`, `$(ls | wc -l)`, `$(id -u)`. */
export function countsOnly(script: ParsedScript | undefined): boolean {
  const statement =
    script?.commands.length === 1 && !script.errors?.length ? script.commands[0]?.command : undefined;
  const last = statement?.type === 'Pipeline' ? statement.commands.at(-1) : statement;
  if (last?.type !== 'Command' || last.prefix.length > 0) return false;
  const name = last.name?.text ?? '';
  const words = Object.hasOwn(counters, name) ? counters[name] : undefined;
  // Any other's words are left unread: in a deep nest each level would be read for every one around it.
  if (!words && name !== 'stat' && name !== 'grep') return false;
  if (!words)
    return countsFile(
      name,
      last.args.flatMap((word) => (word.type === 'Word' ? [readWord(word)] : [])),
    );
  return last.args.every((word) => word.type === 'Word' && words.test(word.text));
}

/** `${@:2}`, `${list[@]}` and `${!name*}` make several words even between quotes. */
function isList(text: string): boolean {
  return /@|\*/.test(text);
}

/** Past its nesting limit the parser keeps a word's text without parts; such a word is not known. */
function looksExpanded(text: string): boolean {
  const bare = text.replace(/\\[\s\S]/g, '');
  if (/[`*?]|\$[\w{(?#@*!$'"-]/.test(bare)) return true;
  if (bare.includes('[') && bare.includes(']', bare.indexOf('['))) return true;
  return bare.includes('{') && /,|\.\./.test(bare);
}
