import type * as z from 'zod';
import { copyJson } from './copy-json.ts';
import type { JsonSchema } from './tool-card.ts';

/** Other tools' names of our arguments, without case, `_` and `-`: models were trained on those, whatever we name. */
const aliases: Readonly<Record<string, readonly string[]>> = {
  path: `file filename filepath targetfile targetpath absolutepath absolutefilepath notebookpath
    dir directory dirpath directorypath targetdirectory folder relativeworkspacepath`.split(/\s+/),
  command: ['cmd', 'commandline', 'shellcommand', 'bashcommand'],
  cwd: ['workdir', 'workingdir', 'workingdirectory', 'dirpath', 'directory'],
  content: ['contents', 'filecontent', 'filetext', 'text'],
  old_string: ['oldstr', 'oldtext', 'search', 'find'],
  new_string: ['newstr', 'newtext', 'replace', 'replacement'],
  find: ['oldstr', 'oldstring', 'oldtext', 'search'],
  replace: ['newstr', 'newstring', 'newtext', 'replacement'],
  replace_all: ['allowmultiple'],
  pattern: ['regex', 'query', 'searchpattern', 'globpattern'],
  glob: ['include', 'includepattern', 'filepattern', 'globpattern'],
  ignore_case: ['i', 'caseinsensitive'],
  query: ['q', 'search', 'searchquery', 'searchterm'],
  url: ['uri', 'link'],
  timeout: ['timeoutseconds', 'timeoutsecs'],
  background: ['runinbackground', 'isbackground'],
  process_id: ['bashid', 'shellid'],
  text: ['input', 'stdin', 'chars'],
  start_line: ['startlineoneindexed'],
  end_line: ['endlineoneindexedinclusive'],
};

/** Renames arguments that are unknown here, each to the one that it can mean. Undefined if none was renamed. */
export function withOwnNames(
  input: unknown,
  issues: readonly z.core.$ZodIssue[],
  schema: JsonSchema,
  secrets: readonly string[],
): unknown {
  const copy = copyJson(input);
  let isRenamed = false;
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    const { path, keys } = issue;
    const holder = path.reduce<unknown>((value, name) => Object(value)[name], copy) as Record<
      string,
      unknown
    >;
    const own = Object.keys(Object(schemaAt(schema, path)?.properties));
    // A secret is redacted by its own name.
    const free = own.filter((name) => (holder[name] ?? null) === null && !secrets.includes(name));
    const meant = keys.map((key) => meaningOf(key, free));
    for (const [index, name] of meant.entries()) {
      const key = keys[index] ?? '';
      if (name === undefined || meant.indexOf(name) !== meant.lastIndexOf(name)) continue;
      holder[name] = holder[key];
      delete holder[key];
      isRenamed = true;
    }
  }
  return isRenamed ? copy : undefined;
}

function meaningOf(key: string, names: readonly string[]): string | undefined {
  const plain = fold(key);
  const spelled = names.filter((name) => fold(name) === plain);
  const fitting = spelled.length > 0 ? spelled : names.filter((name) => aliases[name]?.includes(plain));
  return fitting.length === 1 ? fitting[0] : undefined;
}

function fold(name: string): string {
  return name.replace(/[_-]/g, '').toLowerCase();
}

function schemaAt(schema: JsonSchema, path: readonly PropertyKey[]): JsonSchema | undefined {
  return path.reduce<JsonSchema | undefined>((at, name) => {
    const next =
      typeof name === 'number' ? at?.items : (at?.properties as JsonSchema | undefined)?.[String(name)];
    return next as JsonSchema | undefined;
  }, schema);
}
