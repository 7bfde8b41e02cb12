import { readFileSync } from 'node:fs';

/** A line that an agent sends, and the folder of the workspace that it works in. */
export interface SentLine {
  readonly command: string;
  readonly folder: string;
}

export interface Session {
  readonly name: string;
  readonly lines: readonly SentLine[];
}

/** What leaves the machine or cannot be taken back, as agents send it in the course of a task: this is what is asked about. */
const tasks: readonly { readonly name: string; readonly asked: readonly string[] }[] = [
  {
    name: 'a fix with its review',
    asked: [
      'git push -u origin fix/parser',
      'gh pr create --fill --base main',
      'git push origin fix/parser',
      'gh pr comment 41 --body "The empty case is handled now."',
      'git push origin fix/parser',
    ],
  },
  {
    name: 'a feature with a new dependency',
    asked: [
      'npm install zod',
      'npm install -D msw',
      'git push -u origin feature/search',
      'gh pr create --title "Search" --body "Finds notes by word"',
      'git push origin feature/search',
    ],
  },
  {
    name: 'triage',
    asked: [
      'gh issue comment 7 --body "I can reproduce it on 1.4."',
      'gh issue comment 9 --body "Same cause as 7."',
      'gh issue close 9',
      'git push -u origin fix/timeouts',
      'gh pr create --fill',
    ],
  },
  {
    name: 'a rebase',
    asked: [
      'git push -u origin feature/export',
      'git rebase main && git push --force-with-lease origin feature/export',
      'gh pr comment 44 --body "Rebased."',
      'git push origin feature/export',
    ],
  },
  { name: 'a refactoring', asked: ['git push -u origin refactor/router', 'git push origin refactor/router'] },
  {
    name: 'a Python service',
    asked: [
      'pip install httpx',
      'git push -u origin feature/client',
      'gh pr create --fill',
      'git push origin feature/client',
    ],
  },
  { name: 'reading and tests', asked: ['git push -u origin test/queue'] },
  {
    name: 'a release',
    asked: [
      'git push origin main',
      'git push origin v1.5.0',
      'gh release create v1.5.0 --notes-file NOTES.md',
      'npm publish',
    ],
  },
  {
    name: 'a second review',
    asked: [
      'git push -u origin fix/locale',
      'gh pr create --fill',
      'gh pr comment 52 --body "Both languages now."',
      'git push origin fix/locale',
      'gh pr merge 52 --squash',
    ],
  },
  {
    name: 'an upgrade',
    asked: ['npm install typescript@latest', 'git push -u origin chore/typescript', 'gh pr create --fill'],
  },
  {
    name: 'documents',
    asked: ['git push -u origin docs/questions', 'gh pr create --fill', 'git push origin docs/questions'],
  },
  {
    name: 'a long debugging',
    asked: [
      'git push -u origin fix/leak',
      'gh issue comment 61 --body "It is the watcher."',
      'git push origin fix/leak',
      'git clean -fdx',
      'gh pr create --fill',
    ],
  },
];

/** The corpora's everyday lines in their order, parted among the tasks, with what each task asks about in between. */
export function readSessions(): readonly Session[] {
  const everyday = ['everyday-sessions', 'everyday-work'].flatMap(linesOf);
  const share = Math.ceil(everyday.length / tasks.length);
  return tasks.map(({ name, asked }, at) => {
    const own = everyday.slice(at * share, (at + 1) * share);
    const every = Math.floor(own.length / (asked.length + 1));
    const lines = asked.flatMap((line, place) => [...own.slice(place * every, (place + 1) * every), line]);
    const all = [...lines, ...own.slice(asked.length * every)];
    return { name, lines: all.map((command) => ({ command, folder: '/workspace' })) };
  });
}

export function linesOf(file: string): readonly string[] {
  return readFileSync(new URL(`../../test/judgement/${file}.txt`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.replaceAll('⏎', '\n'));
}
