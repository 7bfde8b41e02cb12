import type { CommandRule, Rule } from './rule.ts';
import { askRules } from './rules-ask.ts';
import { constructRules } from './rules-constructs.ts';
import { evaluationRules } from './rules-evaluation.ts';
import { fetchedRules } from './rules-fetched.ts';
import { fileRules } from './rules-files.ts';
import { gitRules } from './rules-git.ts';
import { moveRules } from './rules-move.ts';
import { packageRules } from './rules-packages.ts';
import { shellRules } from './rules-shell.ts';
import { strictRules } from './rules-strict.ts';
import { systemRules } from './rules-system.ts';

/** Rules that look at commands, by kind. */
export const commandRules: readonly CommandRule[] = [
  ...fileRules,
  ...moveRules,
  ...systemRules,
  ...shellRules,
  ...evaluationRules,
  ...gitRules,
  ...strictRules,
  ...askRules,
  ...fetchedRules,
  ...packageRules,
];

/** Every built-in rule. */
export const builtinRules: readonly Rule[] = [...constructRules, ...commandRules];
