import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openWorld, type World } from './world.ts';

let world: World;
afterEach(() => world?.close());

/** Python's own word on where its definitions begin, functions inside functions left out. */
const askPython = `
import ast, json, sys
found = {}
for path in sys.argv[1:]:
    names = []
    def visit(node):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                names.append(child.name + ' ' + str(child.lineno))
                if isinstance(child, ast.ClassDef): visit(child)
            else: visit(child)
    visit(ast.parse(open(path, 'rb').read()))
    found[path] = names
print(json.dumps(found))`;

import { needs, programs } from '../support/needs.ts';

test(
  "the outline of Python's own library has every definition where Python itself sees it",
  needs(programs('python3')),
  async () => {
    const library = execFileSync(
      'python3',
      ['-c', 'import json, os; print(os.path.dirname(os.path.dirname(json.__file__)))'],
      {
        encoding: 'utf8',
      },
    ).trim();
    const paths = ['json', 'email', 'http', 'logging', 'unittest'].flatMap((folder) =>
      readdirSync(join(library, folder))
        .filter((name) => name.endsWith('.py'))
        .map((name) => `${folder}/${name}`),
    );
    expect(paths.length).toBeGreaterThan(20);
    const files = Object.fromEntries(paths.map((path) => [path, readFileSync(join(library, path), 'utf8')]));
    const answer = execFileSync('python3', ['-c', askPython, ...paths], { cwd: library, encoding: 'utf8' });
    const expected = JSON.parse(answer) as Record<string, string[]>;
    world = await openWorld({ files });

    await world.pipe('ctree_generate | tee outline.txt', { timeout_ms: 120_000 });

    const outline = readFileSync(join(world.root, 'outline.txt'), 'utf8');
    for (const path of paths) {
      const from = outline.indexOf(`\n${path}\n`);
      const part = from === -1 ? '' : (outline.slice(from + path.length + 2).split(/\n(?! )/, 1)[0] ?? '');
      const seen = [...part.matchAll(/^ +\w+ (\S+) (\d+)/gm)].map(([, name, line]) => `${name} ${line}`);
      const missing = (expected[path] ?? []).filter((definition) => !seen.includes(definition));
      expect(missing, path).toEqual([]);
    }
  },
);
