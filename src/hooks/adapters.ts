import { claude } from './claude.ts';
import { codex } from './codex.ts';
import type { Adapter } from './event.ts';
import { gemini } from './gemini.ts';

/** The clients whose hooks are understood, by the name that `sekisho hook` takes. */
export const adapters: ReadonlyMap<string, Adapter> = new Map([
  ['claude', claude],
  ['codex', codex],
  ['gemini', gemini],
]);
