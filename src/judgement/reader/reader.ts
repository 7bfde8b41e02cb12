import { forEachChild, parse, type SyntaxNode } from 'unbash';
import type { CommandLine } from '../../contract/capabilities/process.ts';
import { limits } from '../../contract/limits.ts';
import { orElse } from '../../ground/or-else.ts';
import { isDecoder } from '../decoders.ts';
import { isFetcher, isShell, programOf } from '../programs.ts';
import { isFetched } from '../rules/fetched.ts';
import { readShellLine } from '../unwrap/shell.ts';
import { unwrap } from '../unwrap/unwrap.ts';
import { literalWord, type Word } from '../words/word.ts';
import { assigned, isOwnArguments, nameIn, variableIn } from './command-words.ts';
import { Names } from './names.ts';
import { Input, noteTrait, stagesOf, textFrom } from './pipes.ts';
import type { Reading, Use } from './reading.ts';
import { oneWord, readInput } from './redirections.ts';
import { assignmentWord, constantOf, isUnparsed, readWord } from './words.ts';

/** The words of `"$@"` in a function or a shell's script, and the commands that begin with it. */
interface Scope {
  readonly name: string | undefined;
  readonly calls: (readonly Word[])[];
  readonly tails: { readonly rest: readonly Word[]; readonly at: Place; readonly excerpt: () => string }[];
}

/** The position of a command. */
interface Place {
  /** The text that the syntax positions refer to. */
  readonly source: string;
  readonly scope: Scope;
  readonly via: readonly string[];
  readonly input: Input;
  /** Another machine reads the script. */
  readonly isElsewhere: boolean;
}

/** Beyond 256 levels the parser keeps a word's text without its parts: stop well before. */
const maxDepth = 200;
/** Nested commands; each level copies the words. */
const maxWrappers = 40;
/** Commands that begin with `"$@"`, filled in with the words of a call. */
const maxFilled = 1000;
const maxCalls = 32;
const maxStarts = 4;
/** Nested scripts are read at each level: long ones a few times, short ones at every depth. */
const maxText = 4 * limits.commandBytes;
const maxWords = 64 * limits.commandBytes;

/** Reads a command line with everything nested in it; `variables` are those set at its start. Never throws. */
export function readLine(line: CommandLine, variables: Readonly<Record<string, string>> = {}): Reading {
  return new Reader(variables).read(line);
}

class Reader {
  /** All constants of the line, complete once its syntax has been walked. */
  readonly #names: Names;
  readonly #commands: Use[] = [];
  readonly #redirections: Reading['redirections'][number][] = [];
  readonly #substitutions: Reading['substitutions'][number][] = [];
  readonly #unread: string[] = [];
  /** Commands with variables in them. */
  readonly #withNames: (() => void)[] = [];
  /** Shells that read their input. */
  readonly #withInput: (() => void)[] = [];
  readonly #scopes = new Map<string, Scope>();
  readonly #calls = new Map<string, readonly (readonly Word[])[]>();
  /** So many commands are in `#calls`. */
  #counted = 0;
  #filled = 0;
  #textRead = 0;
  #wordsRead = 0;

  constructor(variables: Readonly<Record<string, string>>) {
    this.#names = new Names(variables);
  }

  read(line: CommandLine): Reading {
    const at: Place = {
      source: line.kind === 'script' ? line.script : '',
      scope: { name: undefined, calls: [], tails: [] },
      via: [],
      input: new Input([], [], undefined),
      isElsewhere: false,
    };
    if (line.kind === 'script') this.#script(line.script, at);
    else {
      const words = [line.program, ...line.args];
      const literal = words.map((word) => literalWord(word));
      this.#command(literal, at, () => excerptOf(words.join(' ').slice(0, 400)));
    }
    this.#finish();
    this.#callScopes(at.scope);
    this.#finish();
    return {
      commands: this.#commands,
      redirections: this.#redirections,
      substitutions: this.#substitutions,
      unread: this.#unread,
      names: this.#names,
    };
  }

  /** Reads the postponed commands: first those that need variables, then those that need earlier stages of a pipe. */
  #finish(): void {
    for (;;) {
      const next = this.#withNames.pop() ?? this.#withInput.pop();
      if (!next) return;
      next();
    }
  }

  #leave(excerpt: string, at: Place): void {
    if (!at.isElsewhere) this.#unread.push(excerpt);
  }

  #script(source: string, at: Place): void {
    this.#textRead += source.length;
    const script = this.#textRead > maxText ? undefined : parsed(source);
    if (!script || script.errors?.length) this.#leave(excerptOf(source), at);
    else this.#visit(script, { ...at, source }, 0);
  }

  #visit(node: SyntaxNode, at: Place, depth: number): void {
    if (depth > maxDepth) {
      this.#leave(excerptIn(node, at), at);
      return;
    }
    switch (node.type) {
      case 'Literal':
      case 'SingleQuoted':
      case 'AnsiCQuoted':
      case 'SimpleExpansion':
      case 'FileDescriptor':
      case 'HereDocDelimiter':
        return;
      case 'Word':
        if (!mayHoldCommands.test(node.text)) return;
        if (isUnparsed(node)) this.#leave(excerptIn(node, at), at);
        break;
      case 'Command': {
        const text = at.source.slice(node.pos, node.end);
        if (isNamed.test(text)) this.#withNames.push(() => this.#simple(node, at));
        else this.#simple(node, at);
        const hasInner = mayHoldCommands.test(text);
        forEachChild(node, (child) => {
          if (hasInner || child.type !== 'Word') this.#visit(child, at, depth + 1);
        });
        return;
      }
      case 'Pipeline': {
        if (node.commands.length < 2) break;
        const { texts, files, stage: outer } = at.input;
        for (const [index, stage] of stagesOf(node.commands, outer).entries()) {
          const command = node.commands[index];
          if (command) this.#visit(command, { ...at, input: new Input(texts, files, stage) }, depth + 1);
        }
        return;
      }
      case 'Function': {
        const scope: Scope = { name: node.name.value, calls: [], tails: [] };
        this.#scopes.set(node.name.value, scope);
        this.#visit(node.body, { ...at, scope }, depth + 1);
        return;
      }
      case 'For':
      case 'Select':
        this.#giveEach(node);
        break;
      case 'Assignment':
        this.#assign(node);
        break;
      case 'ParameterExpansion': {
        const { operation, parameter } = node;
        if (operation?.type === 'Default' && operation.operator.endsWith('='))
          this.#names.give(parameter, constantOf(operation.operand));
        break;
      }
      case 'Redirect':
        if (node.target) {
          const { target } = node;
          this.#redirections.push({
            writes: node.operator !== '<' && node.operator !== '<&',
            target: () => oneWord(readWord(target, this.#names), target.text),
            excerpt: () => excerptIn(node, at),
          });
        }
        break;
      case 'CommandExpansion':
      case 'ArithmeticCommandExpansion':
      case 'ProcessSubstitution': {
        const kind = node.type === 'ProcessSubstitution' ? 'process' : 'command';
        this.#substitutions.push({ kind, excerpt: excerptIn(node, at) });
        const { script } = node;
        if (!script || script.errors?.length) this.#leave(excerptIn(node, at), at);
        else
          this.#visit(script, script.source === undefined ? at : { ...at, source: script.source }, depth + 1);
        return;
      }
      default:
    }
    forEachChild(node, (child) => this.#visit(child, at, depth + 1));
  }

  #simple(node: SyntaxNode & { readonly type: 'Command' }, at: Place): void {
    if (!node.name?.text.includes('$')) this.#filledWith(this.#names, node, at);
    else for (const names of this.#choices(node.name)) this.#filledWith(names, node, at);
  }

  #filledWith(names: Names, node: SyntaxNode & { readonly type: 'Command' }, at: Place): void {
    const { name, args, redirects } = node;
    if (!name) return;
    const list = listed.exec(name.text)?.[1];
    const own = list === undefined ? undefined : this.#names.listOf(list);
    const words: Word[] = [...(own ?? readWord(name, names))];
    for (const part of args) {
      if (part.type === 'Word') words.push(...readWord(part, names));
      else words.push(assignmentWord(part, names));
    }
    const place = redirects.length === 0 ? at : { ...at, input: readInput(redirects, names, at.input.stage) };
    this.#command(words, place, () => excerptIn(node, at));
  }

  /** The constants by which a command is read: once for each value of the variable that names its program. */
  #choices({ text }: { readonly text: string }): readonly Names[] {
    const [name, ...more] = text.match(/(?<=\$\{?)[A-Za-z_]\w*/g) ?? [];
    const values = name === undefined || more.length > 0 ? undefined : this.#names.choicesOf(name);
    if (name === undefined || !values || values.length < 2) return [this.#names];
    return values.map((value) => this.#names.with(name, value));
  }

  #command(words: readonly Word[], at: Place, excerpt: () => string): void {
    const [first] = words;
    if (!first || first.value === '') return;
    const args = words.slice(1);
    this.#wordsRead += words.length;
    if (at.via.length > maxWrappers || this.#wordsRead > maxWords) {
      this.#leave(excerpt(), at);
      return;
    }
    if (isOwnArguments(first)) {
      const { tails } = at.scope;
      // One entry without further words is enough.
      if (args.length > 0 || tails.every(({ rest }) => rest.length > 0))
        tails.push({ rest: args, at, excerpt });
      return;
    }
    const name = nameIn(first) ?? this.#names.programOf(variableIn(first) ?? '');
    if (name === undefined) {
      this.#leave(excerpt(), at);
      return;
    }
    const program = programOf(name);
    const use: Use = {
      program,
      words: first.value === name ? words : [literalWord(name, first.text), ...args],
      args,
      via: at.via,
      input: at.input,
      excerpt,
    };
    this.#commands.push(use);
    this.#note(use);
    if (isShell(program)) this.#withInput.push(() => this.#shellInput(use, at));
    for (const inner of unwrap(program, args)) {
      switch (inner.kind) {
        case 'command':
          this.#command(inner.words, { ...at, via: [...at.via, program] }, excerpt);
          break;
        case 'script': {
          const { source, isElsewhere = false } = inner;
          const scope = { name: undefined, calls: inner.args ? [inner.args] : [], tails: [] };
          const place = {
            ...at,
            via: [...at.via, program],
            isElsewhere: at.isElsewhere || isElsewhere,
            scope: inner.args ? scope : at.scope,
          };
          if (source.script !== undefined) this.#script(source.script, place);
          // The rules about fetched code ask about this case.
          else if (!isFetched(source)) this.#leave(excerpt(), place);
          if (inner.args) this.#callScope(scope);
          break;
        }
        case 'assignment':
          this.#names.give(inner.name, inner.value);
          break;
        case 'unread':
          this.#leave(excerpt(), at);
      }
    }
  }

  /** Notes a command's results: for its pipe, and for variables. */
  #note(use: Use): void {
    const { stage } = use.input;
    if (stage) {
      if (isFetcher(use.program)) noteTrait(stage, 'fetches');
      if (isDecoder(use)) noteTrait(stage, 'decodes');
    }
    for (const { name, value } of assigned(use)) this.#names.give(name, value);
  }

  /** Reads the input of a shell: a text in the line. The content of a file is not known. */
  #shellInput({ args, input, excerpt, program }: Use, at: Place): void {
    if (
      !readShellLine(args).readsInput ||
      args.some(({ value }) => /^--?(version|help|V|h)$/.test(value ?? ''))
    )
      return;
    const place = { ...at, input: new Input([], [], undefined), via: [...at.via, program] };
    for (const text of input.texts) {
      if (text.script === undefined) this.#leave(excerpt(), at);
      else this.#script(text.script, place);
    }
    // The rules about fetched code ask about this case.
    if (input.texts.length > 0 || input.is('fetches') || args.some(isFetched)) return;
    const piped = input.stage && textFrom(input.stage);
    if (piped === undefined) this.#leave(excerpt(), at);
    else this.#script(piped, place);
  }

  #assign(node: SyntaxNode & { readonly type: 'Assignment' }): void {
    const { name, value, index, append } = node;
    if (index || (append && value.type === 'Word')) this.#names.give(name, undefined);
    else if (value.type === 'Word') {
      const words = readWord(value, this.#names);
      const program = words[0] && words[0].value === undefined ? nameIn(words[0]) : undefined;
      if (program !== undefined) this.#names.giveProgram(name, program);
      else this.#names.give(name, words.length === 0 ? '' : constantIn(words));
    } else if (value.elements.every((word) => word.type === 'Word')) {
      const words = value.elements.flatMap((word) => readWord(word, this.#names));
      this.#names.giveList(name, words, append === true);
    } else this.#names.give(name, undefined);
  }

  #giveEach({ name, wordlist }: SyntaxNode & { readonly type: 'For' | 'Select' }): void {
    if (!wordlist) this.#names.give(name.value, undefined);
    for (const word of wordlist ?? [])
      for (const one of readWord(word, this.#names))
        this.#names.give(name.value, one.isPattern ? undefined : one.value);
  }

  /** Runs the commands that begin with `"$@"` in functions, with the words of each call. */
  #callScopes(top: Scope): void {
    for (const { at, excerpt } of top.tails) this.#leave(excerpt(), at);
    for (const scope of this.#scopes.values()) {
      if (scope.tails.length === 0) continue;
      scope.calls.push(...this.#callsOf(scope.name ?? ''));
      this.#callScope(scope);
    }
  }

  /** The arguments of all calls of a function so far, or of more than are filled in. */
  #callsOf(name: string): readonly (readonly Word[])[] {
    for (; this.#counted < this.#commands.length; this.#counted++) {
      const { words = [], args = [] } = this.#commands[this.#counted] ?? {};
      const called = words[0]?.value ?? '';
      const calls = this.#calls.get(called) ?? [];
      if (args.length > 0 && calls.length <= maxCalls) this.#calls.set(called, [...calls, args]);
    }
    return this.#calls.get(name) ?? [];
  }

  #callScope({ calls, tails }: Scope): void {
    for (const { rest, at, excerpt } of tails.splice(0)) {
      if (calls.length > maxCalls) this.#leave(excerpt(), at);
      for (const args of calls.slice(0, maxCalls)) {
        for (let start = 0; start < Math.min(maxStarts, args.length); start++) {
          if (this.#filled++ > maxFilled) {
            this.#leave(excerpt(), at);
            return;
          }
          this.#command([...args.slice(start), ...rest], { ...at, via: [...at.via, '$@'] }, excerpt);
        }
      }
    }
  }
}

/** Does a command's text name a variable? */
const isNamed = /\$\{?\w/;
/** A text without these holds no command, nor anything else that is expanded. */
const mayHoldCommands = /[$`]|[<>]\(/;

/** `"${cmd[@]}"`: a command out of an array. */
const listed = /^"\$\{(\w+)\[@\]\}"$/;

function parsed(source: string) {
  // The nesting is too deep for the parser.
  return orElse(() => parse(source), undefined);
}

function excerptIn({ pos, end }: SyntaxNode, { source }: Place): string {
  return excerptOf(source.slice(pos, Math.min(end, pos + 400)));
}

function constantIn([only, ...more]: readonly Word[]): string | undefined {
  return more.length === 0 && !only?.isPattern ? only?.value : undefined;
}

/** A short excerpt of a command for a message: on one line, with nothing hidden. */
function excerptOf(text: string): string {
  const shown = text
    .slice(0, maxChars * 2)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  const points = [...shown];
  return points.length > maxChars ? `${points.slice(0, maxChars - 1).join('')}…` : shown;
}

const maxChars = 160;
