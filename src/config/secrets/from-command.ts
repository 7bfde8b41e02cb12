import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { type Text, text } from '../../contract/text/text.ts';
import { orElse } from '../../ground/or-else.ts';

/** A value, or why there is none and what to do. */
export type Found = { readonly value: string } | { readonly why: Text };

type Variables = Readonly<Record<string, string | undefined>>;

/** The file that a program's name stands for; undefined if there is none. */
export function programOf(name: string, { PATH = '' }: Variables): string | undefined {
  const places = name.includes('/') ? [name] : PATH.split(delimiter).map((folder) => join(folder, name));
  return places.filter(isAbsolute).find(isExecutable);
}

function isExecutable(path: string): boolean {
  return orElse(() => accessSync(path, constants.X_OK) === undefined, false);
}

/**
 * The first line that a program prints, which runs outside of the sandbox, in `/`, without input. After the limit of time it
 * is killed with what it has started.
 */
export function firstLineFrom(
  [program = '', ...args]: readonly string[],
  environment: Variables,
  limitMs = 30_000,
): Promise<Found> {
  if (!isAbsolute(program)) return Promise.resolve({ why: noProgram(program) });
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: '/',
      env: environment,
      // A group of its own, which can be killed.
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let printed = '';
    const end = (found: Found) => {
      clearTimeout(timer);
      child.stdout.destroy();
      resolve(found);
    };
    const timer = setTimeout(() => {
      end({ why: tooSlow(program, limitMs) });
      orElse(() => process.kill(-(child.pid ?? process.pid), 'SIGKILL'), false);
    }, limitMs);
    child.once('error', () => end({ why: noProgram(program) }));
    child.stdout.setEncoding('utf8').on('data', (words: string) => {
      printed = `${printed}${words}`.slice(0, maxChars);
    });
    const succeed = () => end({ value: printed.split(/\r?\n/, 1)[0] ?? '' });
    child.once('exit', (code) => {
      if (code !== 0) return end({ why: failed(program, code) });
      // A program that it left behind may hold its output open.
      child.stdout.once('close', succeed);
      setTimeout(succeed, graceMs);
    });
  });
}

/** More than the longest credential. */
const maxChars = 64 * 1024;
const graceMs = 500;

function noProgram(program: string): Text {
  return text(
    `The program ${program} is not on PATH, or cannot be started.`,
    `プログラム ${program} が PATH にないか、起動できません。`,
  );
}

function tooSlow(program: string, limitMs: number): Text {
  const seconds = Math.ceil(limitMs / 1000);
  return text(
    `${program} had not ended after ${seconds} s and was stopped.`,
    `${program} が ${seconds} 秒で終わらないため停止しました。`,
  );
}

function failed(program: string, code: number | null): Text {
  return text(
    `${program} ended with ${code ?? 'a signal'}. Run it in a terminal to see why.`,
    `${program} が ${code ?? 'シグナル'} で終了しました。端末で実行して原因を確認してください。`,
  );
}
