import { forEachChild, type SyntaxNode } from 'unbash';
import { isDecoder } from './decoders.ts';
import { choosesLines, listsAllNames, listsNames, listsPaths } from './listings.ts';
import { programOf } from './programs.ts';
import { printsCredentials } from './rules/credentials.ts';
import type { Input, Use } from './rules/rule.ts';
import type { Pipe } from './syntax/walk.ts';
import type { Word } from './words/word.ts';

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

const never = (): boolean => false;

/** What a command reads behind which nothing stands. */
function unpiped(texts: readonly Word[], files: readonly Word[]): Input {
  return {
    texts,
    files,
    fetched: never,
    decoded: never,
    credentials: never,
    namesOnly: never,
    allNames: never,
    foundOnly: never,
    pathsOnly: never,
  };
}

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
      if (!pipe) return;
      if (use.via.length === 0 && listsPaths(use)) {
        const stages = listings.get(pipe.pipeline) ?? new Set<number>();
        listings.set(pipe.pipeline, stages.add(pipe.stage));
      }
      if (isDirect(use) && listsNames(use)) {
        const stages = namings.get(pipe.pipeline) ?? new Map<number, Use>();
        namings.set(pipe.pipeline, stages.set(pipe.stage, use));
      }
      if (isDirect(use) && use.input.files.length + use.input.texts.length === 0 && choosesLines(use)) {
        const stages = filters.get(pipe.pipeline) ?? new Map<number, Use>();
        filters.set(pipe.pipeline, stages.set(pipe.stage, use));
      }
      const fetches = fetchers.has(use.program);
      const decodes = isDecoder(use);
      const tells = printsCredentials(use);
      if (!fetches && !decodes && !tells) return;
      for (let at: Pipe | undefined = pipe; at; at = at.outer) {
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
      if (!pipe) return unpiped(texts, files);
      const lister = (): Use | undefined => {
        if (texts.length > 0 || files.length > 0) return undefined;
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
          if (!use) return false;
          const between = [...(filters.get(pipe.pipeline)?.values() ?? [])];
          return listsAllNames(use) && !between.some(({ program }) => program.endsWith('grep'));
        },
        foundOnly: () => lister()?.program === 'find',
        pathsOnly: () =>
          texts.length === 0 &&
          files.length === 0 &&
          listings.get(pipe.pipeline)?.has(pipe.stage - 1) === true,
      };
    },
  };
}

/** Its own output, and nobody else's, is what the pipe carries. */
function isDirect({ via }: Use): boolean {
  return via.every((program) => /^(sudo|doas|nice|ionice|time|command|timeout)$/.test(program));
}
