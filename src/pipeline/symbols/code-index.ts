import { createHash } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  fstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Folder } from '../../contract/capabilities/files.ts';
import { readAtNow } from '../../files/io.ts';
import { orElse } from '../../ground/or-else.ts';
import { defer } from '../../ground/waiting/defer.ts';
import type { CodeParser } from './parser.ts';
import { type CodeSymbol, languageOf } from './symbol.ts';

/** Definitions in files, cached by the digest of their content: a content is parsed once, whatever its name. */
export type CodeIndex = ReturnType<typeof createCodeIndex>;

const codeBytes = 1024 * 1024;
const indexBytes = 64 * 1024 * 1024;

export function createCodeIndex(options: {
  readonly folder: Folder;
  readonly stateFolder: string;
  readonly parser: CodeParser;
}) {
  const file = join(options.stateFolder, 'symbols-2.jsonl');
  let known: Map<string, readonly CodeSymbol[]> | undefined;

  function load(): Map<string, readonly CodeSymbol[]> {
    const loaded = new Map<string, readonly CodeSymbol[]>();
    mkdirSync(options.stateFolder, { recursive: true, mode: 0o700 });
    try {
      if (statSync(file).size > indexBytes) writeFileSync(file, '', { mode: 0o600 });
      for (const line of readFileSync(file, 'utf8').split('\n')) {
        const at = line.indexOf(' ');
        if (at < 0) continue;
        // A line that a crash tore: the file is parsed again.
        orElse(
          () => loaded.set(line.slice(0, at), JSON.parse(line.slice(at + 1)) as readonly CodeSymbol[]),
          undefined,
        );
      }
    } catch {
      // The first use, or an unreadable index: it is created again.
      writeFileSync(file, '', { mode: 0o600 });
    }
    return loaded;
  }

  return {
    /** Undefined if it is no code, too large, or gone. */
    async symbolsOf(path: string, cwd: string): Promise<readonly CodeSymbol[] | undefined> {
      const language = languageOf(path);
      if (language === undefined) return undefined;
      const source = readSource(options.folder, path, cwd);
      if (source === undefined) return undefined;
      known ??= load();
      const key = `${language}:${createHash('sha256').update(source).digest('base64url')}`;
      const found = known.get(key);
      if (found) return found;
      const symbols = await options.parser.parse(language, source.toString('utf8'));
      if (!symbols) return undefined;
      known.set(key, symbols);
      appendFileSync(file, `${key} ${JSON.stringify(symbols)}\n`);
      return symbols;
    },
  };
}

function readSource(folder: Folder, path: string, cwd: string) {
  // Removed or swapped since it was listed.
  return orElse(() => {
    const fd = folder.at(path, { base: cwd }).openRead();
    using _ = defer(() => closeSync(fd));
    const { size } = fstatSync(fd);
    return size > codeBytes ? undefined : readAtNow(fd, 0, size);
  }, undefined);
}
