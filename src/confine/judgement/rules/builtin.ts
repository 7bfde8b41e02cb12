import { askRules } from './ask.ts';
import { constructRules } from './constructs.ts';
import { evaluationRules } from './evaluation.ts';
import { fetchedRules } from './fetched.ts';
import { fileRules } from './files.ts';
import { gitRules } from './git.ts';
import { moveRules } from './move.ts';
import { needRules } from './needs.ts';
import { packageRules } from './packages.ts';
import type { CommandRule, Rule } from './rule.ts';
import { shellRules } from './shell.ts';
import { strictRules } from './strict.ts';
import { systemRules } from './system.ts';

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
export const builtinRules: readonly Rule[] = [...constructRules, ...needRules, ...commandRules];
