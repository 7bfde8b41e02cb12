import type { Dialect } from './dialect.ts';
import { git } from './git.ts';

/** Protocols of known hosts; each is asked before the next. A new one is added here. */
export const dialects: readonly Dialect[] = [git];

/** Protocols that a request to any host may switch to, judged before its own. */
export const everywhere: readonly Dialect[] = [];
