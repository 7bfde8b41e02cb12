import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { needs, programs } from '../support/needs.ts';
import { startFile } from '../support/run-command.ts';

/** The scripts are asked by the real shells, so that what a person presses Tab for is what is compared. */
const folder = mkdtempSync(join(tmpdir(), 'sekisho-completion-'));

beforeAll(() => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { status, stdout } = run(process.execPath, [startFile, 'completion', shell]);
    expect(status).toBe(0);
    writeFileSync(join(folder, shell), stdout);
  }
  writeFileSync(join(folder, 'notes.txt'), '');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const questions: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ['sekisho aud', ['audit']],
  ['sekisho token cr', ['create']],
  ['sekisho audit tail --li', ['--lines']],
  ['sekisho serve --profile co', ['coding']],
  // The value of an option is no command, and what comes after it is still offered.
  ['sekisho serve --root /tmp --mod', ['--mode']],
  ['sekisho serve --root /tmp --mode read', ['read-only']],
  ['sekisho init --client vs', ['vscode']],
  ['sekisho completion f', ['fish']],
  // Files, where neither a word nor a choice is known.
  ['sekisho serve --config not', ['notes.txt']],
  ['sekisho import not', ['notes.txt']],
];

describe(`bash`, needs(programs('bash')), () => {
  test.each(questions)('%j is completed', (line, offered) => {
    const words = line.split(' ');
    const script = `
      source ./bash
      COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
      _sekisho
      [ "\${#COMPREPLY[@]}" -gt 0 ] || mapfile -t COMPREPLY < <(compgen -f -- '${words.at(-1)}')
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    expect(run('bash', ['--norc', '-c', script])).toEqual({ status: 0, stdout: lines(offered), stderr: '' });
  });
});

describe(`fish`, needs(programs('fish')), () => {
  test.each(questions)('%j is completed', (line, offered) => {
    const script = `source ./fish; complete -C '${line}' | string replace -r '\\t.*' ''; true`;
    expect(run('fish', ['--no-config', '-c', script])).toEqual({
      status: 0,
      stdout: lines(offered),
      stderr: '',
    });
  });
});

describe(`zsh`, needs(programs('zsh')), () => {
  test.each(questions)('%j is completed', (line, offered) => {
    // Outside of its line editor zsh has no candidates to add to: these two stand in for it.
    const script = `
      compdef() { }
      compadd() { print -l -- "\${(@M)\${(P)2}:#\${words[CURRENT]}*}" | grep . }
      _files() { print -l -- \${words[CURRENT]}*(N) }
      source ./zsh
      words=(${line}); CURRENT=\${#words}
      _sekisho`;
    expect(run('zsh', ['-f', '-c', script])).toEqual({ status: 0, stdout: lines(offered), stderr: '' });
  });

  test('it is taken from a folder of fpath, too', () => {
    const script = `
      autoload -Uz _sekisho
      fpath=(./functions $fpath)
      compadd() { print -l -- "\${(@M)\${(P)2}:#\${words[CURRENT]}*}" }
      words=(sekisho aud); CURRENT=2
      _sekisho`;
    mkdirSync(join(folder, 'functions'));
    copyFileSync(join(folder, 'zsh'), join(folder, 'functions/_sekisho'));
    expect(run('zsh', ['-f', '-c', script])).toEqual({ status: 0, stdout: 'audit\n', stderr: '' });
  });
});

test('another shell is refused by name', () => {
  const { status, stderr } = run(process.execPath, [startFile, 'completion', 'ksh']);
  expect(status).toBe(2);
  expect(stderr).toContain('bash, zsh, fish');
});

function run(command: string, args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder,
    env: { HOME: folder, PATH: process.env.PATH, LANG: 'C.UTF-8', TERM: 'dumb' },
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { status, stdout, stderr };
}

function lines(words: readonly string[]): string {
  return words.map((word) => `${word}\n`).join('');
}
