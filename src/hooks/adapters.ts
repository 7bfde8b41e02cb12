import { claude } from './claude.ts';
import type { Adapter } from './event.ts';

/** The clients whose hooks are understood, by the name that `sekisho hook` takes. */
export const adapters: ReadonlyMap<string, Adapter> = new Map([['claude', claude]]);
