import type { RuleLine } from '../../contract/policy.ts';
import { checkpointRules } from './checkpoint.ts';
import { constructRules } from './constructs.ts';
import { fetchedRules } from './fetched.ts';
import { deviceRules } from './files/devices.ts';
import { obeyedRules } from './files/obeyed.ts';
import { removingRules } from './files/removing.ts';
import { gitRemoteRules } from './git-remotes.ts';
import { machineRules } from './machines.ts';
import { outwardRules } from './outward.ts';
import { packageRules } from './packages/packages.ts';
import { processRules } from './processes.ts';
import type { CommandRule, Rule } from './rule.ts';
import { strictRules } from './strict.ts';
import { systemRules } from './system.ts';

export const commandRules: readonly CommandRule[] = [
  ...removingRules,
  ...deviceRules,
  ...obeyedRules,
  ...checkpointRules,
  ...systemRules,
  ...gitRemoteRules,
  ...strictRules,
  ...machineRules,
  ...outwardRules,
  ...processRules,
  ...fetchedRules,
  ...packageRules,
];

export const builtinRules: readonly Rule[] = [...constructRules, ...commandRules];

/** Lists the built-in rules for people, in `sekisho policy explain` and the console. */
export function listBuiltinRules(): readonly RuleLine[] {
  return builtinRules.map(({ id, decision, dialect, because, suggestion, examples }) => ({
    id,
    decision,
    because,
    suggestion,
    examples,
    ...(dialect && { from: dialect }),
  }));
}
