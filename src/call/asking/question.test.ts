import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Tool } from '../../contract/tool/tool.ts';
import { createCommandJudge } from '../../judgement/judge.ts';
import { createPolicy } from '../policy/policy.ts';
import { questionFor } from './question.ts';

const policy = createPolicy({
  mode: 'workspace-write',
  rules: [],
  judge: createCommandJudge(),
  roots: ['/srv/work'],
});
// Only its name and its annotations are used.
const tool = { name: 'bash', annotations: { readOnly: false } } as Tool;
const caller = { kind: 'local', principal: 'local', sessionId: 's', remote: false } as const;

function ask(script: string, locale: 'en' | 'ja' = 'en'): string {
  const risk = { command: { line: { kind: 'script', script, shell: 'bash' }, dialect: 'plain' } } as const;
  const verdict = policy.decide(tool, caller, risk);
  if (verdict.decision !== 'ask') throw new Error(`${script} is not asked about: ${verdict.because.en}`);
  return questionFor({ tool, caller, risk, input: {}, verdict, grant: '{}' })[locale];
}

const harmless = fc.constantFrom<string>(
  'echo start',
  'ls -l src',
  'cat README.md',
  'mkdir -p build/out',
  'npm test',
);
const risky = fc.constantFrom<string>(
  'git push --force origin main',
  'sudo systemctl restart nginx',
  'docker run --rm -v /srv:/srv alpine true',
  'npm install left-pad',
  'ssh build.example uptime',
);
const script = fc
  .tuple(fc.array(harmless, { maxLength: 59 }), risky, fc.nat())
  .map(([lines, line, place]) => ({
    line,
    text: lines.toSpliced(place % (lines.length + 1), 0, line).join('\n'),
  }));

test('wherever in a script the risky line stands, the first line of the question says it, and the whole follows', () => {
  fc.assert(
    fc.property(script, fc.constantFrom('en' as const, 'ja' as const), ({ line, text }, locale) => {
      const [first = '', ...rest] = ask(text, locale).split('\n');
      expect(first.length).toBeLessThanOrEqual(100);
      expect(first).toContain(line.split(' ').slice(0, 2).join(' '));
      // The reason follows it.
      expect(first.length).toBeGreaterThan(line.length + 8);
      const command = rest.slice(1, 1 + text.split('\n').length);
      expect(command.map((shown) => shown.replace(/^(?: {2}\| |Command: |コマンド: )/, '')).join('\n')).toBe(
        text,
      );
    }),
    { numRuns: 1000 },
  );
});

test('what is risky beside the first is counted there', () => {
  expect(ask('git push origin main\nsudo reboot-later\nnpm install x')).toMatch(/^\S.* \(\+2 more\): /);
});

test('a long risky part keeps its beginning and its end, and no line of it passes for ours', () => {
  const [first = ''] = ask(`git push --force https://example.com/${'a'.repeat(300)} main:evil`).split('\n');
  expect(first).toMatch(/^git push --force .*…/);
  expect(first.length).toBeLessThanOrEqual(100);
});

test('a text among the arguments keeps its line breaks', () => {
  const risk = { writes: ['live/a.txt'] };
  const verdict = { decision: 'ask', rule: 'r', because: { en: 'It is live.', ja: '本番です。' } } as const;
  const input = { path: 'live/a.txt', content: 'one\ntwo\n' };
  const lines = questionFor({
    tool: { ...tool, name: 'write_file' },
    caller,
    risk,
    input,
    verdict,
    grant: '{}',
  }).en.split('\n');
  expect(lines.slice(0, 7)).toEqual([
    'write_file live/a.txt: It is live.',
    'local wants to call write_file.',
    'Arguments: ',
    '  | path: live/a.txt',
    '  | content: one',
    '  | two',
    '  | ',
  ]);
});
