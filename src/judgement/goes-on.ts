import { posix } from 'node:path';
import type { CommandLine } from '../contract/capabilities/process.ts';
import { orElse } from '../ground/or-else.ts';
import { readLine } from './reader/reader.ts';
import type { Reading } from './reader/reading.ts';
import type { ReadFile } from './rules/rule.ts';

/**
 * Does a line start a server or a file watcher, which runs until it is stopped and must see what others change? Scripts
 * of packages, targets of make and files of shells are read for what they start; `read` is asked for them by path.
 */
export function goesOn(reading: Reading, folder: string, read: ReadFile): boolean {
  return new Following(read).isFound(reading, folder);
}

/** A text for a shell, and the folder that it starts in. */
interface Script {
  readonly text: string;
  readonly folder: string;
}

class Following {
  readonly #read: ReadFile;
  readonly #seen = new Set<string>();

  constructor(read: ReadFile) {
    this.#read = read;
  }

  isFound(reading: Reading, folder: string): boolean {
    let at = folder;
    return reading.commands.some(({ words }) => {
      const [path = '', ...args] = words.map(({ value }) => value ?? '$');
      if (path === 'cd') at = posix.resolve(at, args[0] ?? '.');
      const program = posix.basename(path);
      if (itself.test([program, ...args].join(' '))) return true;
      return this.#startedBy({ path, program, args, at }).some((script) => this.#follows(script));
    });
  }

  #follows({ text, folder }: Script): boolean {
    const key = `${folder}\0${text}`;
    if (this.#seen.has(key) || this.#seen.size >= mostScripts || text.length > mostChars) return false;
    this.#seen.add(key);
    const line: CommandLine = { kind: 'script', script: text, shell: 'bash' };
    return this.isFound(readLine(line), folder);
  }

  #startedBy(use: Use): readonly Script[] {
    const { path, program, args, at } = use;
    const elsewhere = elsewhereIn(args);
    const given = args.filter((word) => !word.startsWith('-') && word !== elsewhere);
    if (/^(npm|pnpm|yarn|bun)$/.test(program)) {
      const names = given.slice(/^(run|run-script)$/.test(given[0] ?? '') ? 1 : 0, 2);
      return names.slice(0, 1).flatMap((name) => this.#scriptsOf(use, name));
    }
    if (/^(npm-run-all2?|run-[ps])$/.test(program))
      return given.flatMap((name) => this.#scriptsOf(use, name));
    if (program === 'concurrently')
      return given.flatMap((word) =>
        /^(npm|pnpm|yarn|bun):/.test(word)
          ? this.#scriptsOf(use, word.replace(/^\w+:/, ''))
          : [{ text: word, folder: at }],
      );
    if (/^g?make$/.test(program)) return this.#recipesOf(use);
    if (/^(foreman|overmind|honcho|hivemind)$/.test(program))
      return this.#file('Procfile', at, (text) => text.replace(/^[\w-]+:/gm, ''));
    const file = /^(sh|bash|dash|zsh|source|\.)$/.test(program)
      ? given[0]
      : path.includes('/')
        ? path
        : undefined;
    return file === undefined ? [] : this.#file(file, at, (text) => (isShells(file, text) ? text : ''));
  }

  #file(name: string, folder: string, change: (text: string) => string): readonly Script[] {
    const text = this.#read(posix.resolve(folder, name));
    return text === undefined ? [] : [{ text: change(text), folder }];
  }

  /** A package's scripts of this name, which may have a `*`, with those before and after it. */
  #scriptsOf({ args, at }: Use, name: string): readonly Script[] {
    for (let folder = posix.resolve(at, elsewhereIn(args)); ; folder = posix.dirname(folder)) {
      const text = this.#read(posix.join(folder, 'package.json'));
      if (text !== undefined) {
        const scripts = Object.entries(Object(orElse(() => JSON.parse(text).scripts, undefined)));
        const [begin, end = name] = name.split('*');
        const isNamed = (key: string) =>
          name.includes('*')
            ? key.startsWith(begin ?? '') && key.endsWith(end)
            : [name, `pre${name}`, `post${name}`].includes(key);
        return scripts.flatMap(([key, script]) => (isNamed(key) ? [{ text: String(script), folder }] : []));
      }
      if (folder === '/') return [];
    }
  }

  /** The recipes that make runs for its targets, and for those that they need. */
  #recipesOf({ args, at }: Use): readonly Script[] {
    const folder = posix.resolve(at, elsewhereIn(args));
    const text = ['GNUmakefile', 'makefile', 'Makefile']
      .map((name) => this.#read(posix.join(folder, name)))
      .find((found) => found !== undefined);
    if (text === undefined) return [];
    const variables = new Map(
      [...text.matchAll(/^(\w+)\s*[:?]?=\s*(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
    );
    const filled = (words: string) =>
      words.replace(/\$[({](\w+)[)}]/g, (whole, name) =>
        name === 'MAKE' ? 'make' : (variables.get(name) ?? whole),
      );
    const rules = [
      ...text.matchAll(
        /^([\w./% -]+?)\s*::?(?!=)([^\n#;=]*)(?:[;#][^\n]*)?((?:\n\t[^\n]*|\n[ ]*(?=\n\t))*)/gm,
      ),
    ].map(([, names = '', needs = '', recipe = '']) => ({
      names: names.split(/\s+/),
      text: [
        ...filled(needs)
          .split(/\s+/)
          .filter(Boolean)
          .map((need) => `make ${need}`),
        filled(recipe).replace(/^\t[@+-]*/gm, ''),
      ].join('\n'),
    }));
    const first = rules.find(({ names }) => !names[0]?.startsWith('.'))?.names[0];
    const named = args.filter(
      (word) => /^[\w./-]+$/.test(word) && !word.startsWith('-') && word !== elsewhereIn(args),
    );
    const targets = named.length > 0 ? named : [first];
    return rules
      .filter(({ names }) => targets.some((name) => name && names.includes(name)))
      .map((rule) => ({ text: rule.text, folder }));
  }
}

/** A command of a line. */
interface Use {
  readonly path: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly at: string;
}

/** The folder that an option names. */
function elsewhereIn(args: readonly string[]): string {
  return /(?:^| )(?:-C|--prefix|--cwd|--dir|--directory)[ =](\S+)/.exec(args.join(' '))?.[1] ?? '.';
}

function isShells(file: string, text: string): boolean {
  return (
    /^#!.*\b(ba|da|z|k)?sh\b/.test(text) ||
    (!text.startsWith('#!') && !text.includes('\0') && !/\.\w+$/.test(file.replace(/\.sh$/, '')))
  );
}

const mostScripts = 64;
const mostChars = 64 * 1024;

/** A command's words, joined by spaces. */
const itself = new RegExp(
  `^(?:${[
    String.raw`(npm|pnpm|yarn|bun|deno)\s+(run\s+|task\s+)?(dev|start|serve|watch|preview|storybook)\b`,
    String.raw`(turbo|nx|lerna|moon)\s+(run\s+)?(dev|start|serve|watch)\b`,
    String.raw`(next|nuxt|astro|remix|gatsby|expo|ng|webpack|vite|parcel|svelte-kit|wrangler|netlify|vercel)\s+(dev|develop|serve|start|preview|watch)\b`,
    String.raw`(nodemon|ts-node-dev|tsnd|live-server|http-server|browser-sync|webpack-dev-server|uvicorn|gunicorn|hypercorn|puma|air|bacon|entr|inotifywait|watchexec|watchman-wait|chokidar|onchange|cargo-watch|fswatch)\b`,
    String.raw`vite(?!\s+--?(version|help|v|h)\b)(\s+-|$)`,
    String.raw`(flask|cargo|trunk|hugo|jekyll|mkdocs|rails|php|symfony|mix|dotnet|quarto)\s+(run\s+--reload|watch|serve|server|s|-S|phx\.server)\b`,
    String.raw`(tsx|vitest|bun)\s+(watch|dev|--hot)\b`,
    String.raw`flask\s+run\b|(python[\d.]*\s.*|manage\.py\s+)\b(runserver|http\.server)\b`,
    String.raw`(node|tsx|ts-node|deno|bun|npm|npx|pnpm|yarn|bunx|tsc|swc|babel|esbuild|rollup|webpack|vite|parcel|jest|vitest|mocha|ava|eslint|stylelint|sass|postcss|tailwindcss|gulp|dotnet|pytest|mypy)\s(.*\s)?--watch(-\w+)?\b`,
    String.raw`(tsc|rollup|webpack|esbuild|postcss|babel|mocha|sass)\s(.*\s)?-w\b|tail\s(.*\s)?-[\d\w]*[fF]\b`,
    String.raw`make\s+(dev|serve|watch|run)\b`,
  ].join('|')})`,
  's',
);
