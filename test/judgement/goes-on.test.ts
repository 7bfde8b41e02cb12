import { expect, test } from 'vitest';
import { createCommandJudge } from '../../src/judgement/judge.ts';

const files: Readonly<Record<string, string>> = {
  '/p/package.json': JSON.stringify({
    scripts: {
      x: 'vite --port 3000',
      'dev:css': 'tailwindcss -i a.css --watch',
      'dev:all': 'npm run build && npm run x',
      both: 'concurrently "npm:dev:*" "npm run build"',
      quoted: 'concurrently -k "tsc -w" "node server.js"',
      parallel: 'run-p build dev:css',
      build: 'tsc -p . && vite build',
      test: 'vitest run',
      loop: 'npm run loop',
      postbuilt: 'nodemon dist',
      built: 'tsc',
    },
  }),
  '/p/sub/package.json': JSON.stringify({ scripts: { here: 'jest --watch', x: 'tsc' } }),
  '/p/broken/package.json': '{',
  '/p/Makefile':
    'T := tsc\n.PHONY: all up\nall: build\n\nbuild:\n\t@tsc -p .\n\nup: build\n\techo up\n\t@$(T) -w\n\nvia: up\n\ndeep:\n\t$(MAKE) via\n\nloop: loop\n',
  '/p/up.sh': '#!/usr/bin/env bash\nset -e\nwhile true; do :; done &\nexec npx vite dev\n',
  '/p/once.sh': '#!/bin/sh\nnpm run build\n',
  '/p/tool.py': '#!/usr/bin/env python3\n# vite dev\n',
  '/p/Procfile': 'web: bundle exec puma\nworker: sidekiq\n',
};
const judge = createCommandJudge({ read: (path) => files[path] });
const goesOn = (script: string, folder = '/p') =>
  judge.goesOn({ kind: 'script', script, shell: 'bash' }, folder);

test.each([
  ...[
    'npm run x',
    'npm run x -- --open',
    'pnpm x',
    'yarn dev:all',
    'bun run dev:css',
    'npm run both',
    'npm run quoted',
  ],
  ...[
    'npm run parallel',
    'npm run built',
    'cd sub && npm run here',
    'npm --prefix sub run here',
    'npm -C sub run here',
  ],
  ...[
    'make up',
    'make -C /p via',
    'make deep',
    'make build up',
    './up.sh',
    'bash up.sh',
    'sh ./up.sh arg',
    '. ./up.sh',
  ],
  ...[
    'foreman start',
    'npx concurrently "vite" "tsc -p ."',
    'npx vite',
    'node --watch a.js',
    'tsc -p . -w',
    'cargo watch -x test',
  ],
  ...[
    'vitest --watch',
    'nodemon a.js',
    'FORCE=1 timeout 60 npm run x',
    'npm run build; npm run x',
    'tail -f log',
    'make serve',
  ],
])('goes on: %s', (line) => {
  expect(goesOn(line)).toBe(true);
});

test.each([
  ...[
    'npm run build',
    'npm test',
    'npm run loop',
    'npm install',
    'npm ls',
    'npx vite build',
    'npx vitest run',
    'cd sub && npm run x',
  ],
  ...[
    'cd broken && npm run x',
    'npm run none',
    'make',
    'make all',
    'make loop',
    './once.sh',
    './tool.py',
    'bash none.sh',
    'bash -c "tsc -p ."',
  ],
  ...[
    'echo npm run x',
    'git commit -m "npm run dev"',
    'grep -w x',
    'vite --version',
    'tsc --noEmit',
    'node a.js',
    'make -n',
    'ls',
    '',
  ],
])('ends by itself: %s', (line) => {
  expect(goesOn(line)).toBe(false);
});
