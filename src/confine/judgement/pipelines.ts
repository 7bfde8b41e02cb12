import { forEachChild, type SyntaxNode } from 'unbash';
import { programOf } from './programs.ts';
import { printsCredentials } from './rules/credentials.ts';
import type { Input, Use } from './rules/rule.ts';
import type { Pipe } from './syntax/walk.ts';
import { startPrefix } from './unwrap/find.ts';
import { hasOption, readOptions } from './words/options.ts';
import { readWord } from './words/read-word.ts';
import { operandsOf } from './words/subcommands.ts';
import { isOneField, type Piece, type Word } from './words/word.ts';

/** Does a substitution in this word fetch from the network? */
export function isFetched(word: Word | undefined): boolean {
  return (word?.pieces ?? []).some((piece) => {
    if (piece.kind !== 'unknown' || !piece.script) return false;
    const nodes: SyntaxNode[] = [piece.script];
    for (let node = nodes.pop(); node; node = nodes.pop()) {
      if (node.type === 'Command' && fetchers.has(programOf(node.name?.value ?? ''))) return true;
      forEachChild(node, (child) => void nodes.push(child));
    }
    return false;
  });
}

const fetchers = new Set([
  'curl',
  'wget',
  'fetch',
  'aria2c',
  'http',
  'https',
  'xh',
  'nc',
  'ncat',
  'netcat',
  'socat',
]);
const alwaysDecode = new Set([
  ...[
    'uudecode',
    'gunzip',
    'zcat',
    'bunzip2',
    'bzcat',
    'unxz',
    'xzcat',
    'unlzma',
    'lzcat',
    'unzstd',
    'zstdcat',
  ],
  ...['rev', 'tr', 'base58', 'uncompress', 'funzip', 'gpg', 'ccrypt', 'age', 'jq', 'iconv', 'dd'],
]);

/** `$(find bin -type f)`, `$(git rev-parse --show-toplevel)`: what it prints are names of files. */
export function isListing(piece: Piece): boolean {
  if (piece.kind !== 'unknown' || !piece.script || piece.script.errors?.length) return false;
  const [statement, ...more] = piece.script.commands;
  if (!statement || more.length > 0 || statement.background) return false;
  const { command } = statement;
  const stages = command.type === 'Pipeline' ? command.commands : [command];
  return stages.every((stage, at) => {
    if (stage.type !== 'Command' || stage.prefix.length > 0) return false;
    const args = stage.args.flatMap((arg) => (arg.type === 'Word' ? [readWord(arg)] : []));
    const use = { program: programOf(stage.name?.value ?? ''), args };
    // What is written out is no listing: `$(echo -delete)`.
    if (/^(echo|printf|seq)$/.test(use.program)) return false;
    return at === 0 ? listsNames(use) || namesFile(use) : choosesLines(use);
  });
}

/** `$(git ls-files)`, `$(find . -type f)`: the names of all that is there, none chosen by how it is called. */
export function listsAll(piece: Piece): boolean {
  if (piece.kind !== 'unknown' || !piece.script || !isListing(piece)) return false;
  const command = piece.script.commands[0]?.command;
  const stages = command?.type === 'Pipeline' ? command.commands : [command];
  const uses = stages.flatMap((stage) =>
    stage?.type === 'Command'
      ? [
          {
            program: programOf(stage.name?.value ?? ''),
            args: stage.args.flatMap((arg) => (arg.type === 'Word' ? [readWord(arg)] : [])),
          },
        ]
      : [],
  );
  const [first, ...rest] = uses;
  return first !== undefined && listsAllNames(first) && !rest.some(({ program }) => program.endsWith('grep'));
}

/** A listing that chooses nothing by its name, its age or its size. */
function listsAllNames({ program, args }: Command): boolean {
  switch (program) {
    case 'find':
      return !args.some(({ value }, at) =>
        /^-i?(name|path|regex|wholename)$/.test(value ?? '')
          ? /\w/.test(args[at + 1]?.text ?? '')
          : /^-([acm](min|time)|newer.*|size|empty|user|group|perm)$/.test(value ?? ''),
      );
    case 'git':
    case 'ls':
      return !operandsOf(args).some(({ value, text }) => value !== 'ls-files' && /\w/.test(text));
    case 'rg':
    case 'fd':
    case 'fdfind': {
      const { operands, given } = readOptions(args, { valued: 'tedEgSco' });
      const isChosen = given.some(({ name }) => /^([eg]|extension|glob)$/.test(name));
      return !isChosen && !operands.some(({ text }) => /\w/.test(text));
    }
    default:
      return false;
  }
}

function namesFile({ program, args }: Command): boolean {
  const [verb, what] = args;
  return (
    /^(dirname|basename|realpath|readlink|mktemp|pwd)$/.test(program) ||
    (program === 'git' &&
      verb?.value === 'rev-parse' &&
      /^--(show-toplevel|git-dir)$/.test(what?.value ?? '')) ||
    (program === 'brew' && verb?.value === '--prefix')
  );
}

type Command = Pick<Use, 'program' | 'args'>;

/** Remembers what stands before what in pipes. */
export function createPipelines() {
  const listings = new Map<object, Set<number>>();
  const namings = new Map<object, Map<number, Use>>();
  const filters = new Map<object, Map<number, Use>>();
  const first = new Map<object, { fetch: number; decode: number; secret: number }>();

  function before(pipe: Pipe | undefined, what: 'fetch' | 'decode' | 'secret'): boolean {
    for (let at = pipe; at; at = at.outer) {
      if ((first.get(at.pipeline)?.[what] ?? Number.POSITIVE_INFINITY) < at.stage) return true;
    }
    return false;
  }

  return {
    note(use: Use, pipe: Pipe | undefined): void {
      if (pipe && use.via.length === 0 && listsPaths(use)) {
        const stages = listings.get(pipe.pipeline) ?? new Set<number>();
        listings.set(pipe.pipeline, stages.add(pipe.stage));
      }
      if (pipe && isDirect(use) && listsNames(use)) {
        const stages = namings.get(pipe.pipeline) ?? new Map<number, Use>();
        namings.set(pipe.pipeline, stages.set(pipe.stage, use));
      }
      if (
        pipe &&
        isDirect(use) &&
        use.input.files.length + use.input.texts.length === 0 &&
        choosesLines(use)
      ) {
        const stages = filters.get(pipe.pipeline) ?? new Map<number, Use>();
        filters.set(pipe.pipeline, stages.set(pipe.stage, use));
      }
      const fetches = fetchers.has(use.program);
      const decodes = isDecoder(use);
      const tells = printsCredentials(use);
      if (!fetches && !decodes && !tells) return;
      for (let at = pipe; at; at = at.outer) {
        const entry = first.get(at.pipeline) ?? {
          fetch: Number.POSITIVE_INFINITY,
          decode: Number.POSITIVE_INFINITY,
          secret: Number.POSITIVE_INFINITY,
        };
        first.set(at.pipeline, entry);
        if (fetches) entry.fetch = Math.min(entry.fetch, at.stage);
        if (decodes) entry.decode = Math.min(entry.decode, at.stage);
        if (tells) entry.secret = Math.min(entry.secret, at.stage);
      }
    },
    inputOf(pipe: Pipe | undefined, texts: readonly Word[], files: readonly Word[]): Input {
      const lister = (): Use | undefined => {
        if (pipe === undefined || texts.length > 0 || files.length > 0) return undefined;
        let stage = pipe.stage - 1;
        while (filters.get(pipe.pipeline)?.has(stage)) stage--;
        return namings.get(pipe.pipeline)?.get(stage);
      };
      return {
        texts,
        files,
        fetched: () => before(pipe, 'fetch'),
        decoded: () => before(pipe, 'decode'),
        credentials: () => before(pipe, 'secret'),
        namesOnly: () => lister() !== undefined,
        allNames() {
          const use = lister();
          if (!use || !pipe) return false;
          const between = [...(filters.get(pipe.pipeline)?.values() ?? [])];
          return listsAllNames(use) && !between.some(({ program }) => program.endsWith('grep'));
        },
        foundOnly: () => lister()?.program === 'find',
        pathsOnly: () =>
          pipe !== undefined &&
          texts.length === 0 &&
          files.length === 0 &&
          listings.get(pipe.pipeline)?.has(pipe.stage - 1) === true,
      };
    },
  };
}

/** A find that prints nothing but paths parted by NUL, none of which can be taken for an option. */
function listsPaths({ program, args }: Use): boolean {
  return (
    program === 'find' &&
    /^[\w./]/.test(startPrefix(args)) &&
    args.some(({ value }) => value === '-print0') &&
    !args.some(
      (word) =>
        word.value === undefined || /^-(printf|print|ls|exec|ok)/.test(word.value.replace(/^-print0$/, '')),
    )
  );
}

/** Its own output, and nobody else's, is what the pipe carries. */
function isDirect({ via }: Use): boolean {
  return via.every((program) => /^(sudo|doas|nice|ionice|time|command|timeout)$/.test(program));
}

/** Gives on some of the lines that it reads, as they are. */
function choosesLines({ program, args }: Command): boolean {
  const operands = readOptions(args, { valued: 'nkcSTABCmeftsw' }).operands.length;
  switch (program) {
    case 'grep':
    case 'egrep':
    case 'fgrep': {
      const isPlain = !args.some(({ prefix }) =>
        /^-[a-zA-Z]*[ocnHbrR]|^--(only|count|line|with|byte|null)/.test(prefix),
      );
      return isPlain && operands <= (args.some(({ prefix }) => /^-[a-zA-Z]*[ef]/.test(prefix)) ? 0 : 1);
    }
    case 'sort':
    case 'uniq':
      return operands === 0 && !args.some(({ prefix }) => /^-[a-zA-Z]*[oc]|^--(out|co|files0)/.test(prefix));
    case 'head':
    case 'tail':
    case 'tac':
    case 'shuf':
      return operands === 0;
    default:
      return false;
  }
}

/** Prints names of files that are there, or words that are written out here: nothing that a shell would take for code. */
function listsNames({ program, args }: Command): boolean {
  const has = (pattern: RegExp) => args.some(({ value }) => pattern.test(value ?? ''));
  if (program !== 'find' && args.some(({ value }) => value === undefined) && !/^(ls|seq)$/.test(program))
    return false;
  switch (program) {
    case 'find':
      return !args.some(
        (word) =>
          (word.value === undefined && !isOneField(word)) || /^-(f?printf|exec|ok|f?ls)/.test(word.prefix),
      );
    case 'ls':
    case 'seq':
    case 'fd':
    case 'fdfind':
      return !has(/^-[xX]|^--exec/);
    case 'rg':
      return has(/^(-[a-zA-Z]*l|--files(-with-matches)?$)/);
    case 'grep':
      return has(/^-[a-zA-Z]*[lL]/);
    case 'git':
      return has(/^ls-files$/) || (has(/^diff$/) && has(/^--name-only$/));
    case 'echo':
    case 'printf':
      return args.every(({ value }) => /^[\w ./%\\@:,+-]*$/.test(value ?? ';'));
    default:
      return false;
  }
}

/** Does the command turn data into other data that nobody has read? */
export function isDecoder(use: Use): boolean {
  return alwaysDecode.has(use.program) || isBaseDecoder(use) || unpacks(use);
}

/** `base64 -d` in all its spellings, and other programs' own. */
export function isBaseDecoder({ program, args }: Use): boolean {
  switch (program) {
    case 'base64':
    case 'base32':
    case 'basenc': {
      // The letters of GNU's and macOS's base64 differ; in both a bundle may hide the d.
      const options = readOptions(args);
      return options.unsure !== undefined || hasOption(options, 'dD', ['decode']);
    }
    case 'openssl':
      return args.some((word) => word.value === undefined || /^--?d(ecrypt)?$/.test(word.value));
    case 'xxd':
      return args.some((word) => word.value === undefined || /^-[a-z]*r/.test(word.value));
    case 'python':
    case 'python3':
      return args.some(
        (word, at) => word.value === '-m' && /^(base64|codecs|uu|quopri)$/.test(args[at + 1]?.value ?? ''),
      );
    case 'uudecode':
      return true;
    default:
      return false;
  }
}

function unpacks({ program, args }: Use): boolean {
  if (!/^(gzip|bzip2|xz|zstd|lz4|brotli|lzma|pigz|compress)$/.test(program)) return false;
  return args.some((word) => word.value === undefined || /^(-[a-z0-9]*d|--dec|--unc)/.test(word.value));
}
