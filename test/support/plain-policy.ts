import { createPolicy, type PolicyOptions } from '../../src/call/policy/policy.ts';
import type { Caller } from '../../src/contract/caller.ts';
import type { CommandJudge } from '../../src/contract/capabilities/judgement.ts';
import type { PolicyRule, Risk } from '../../src/contract/policy.ts';
import { text } from '../../src/contract/text/text.ts';
import type { Tool } from '../../src/contract/tool/tool.ts';

/** Instead of the real judge, which belongs to another room: splits at spaces, asks about `git push` and denies `reboot`. */
export const judge: CommandJudge = {
  mayKeep: () => false,
  judge(line) {
    const script = line.kind === 'script' ? line.script : [line.program, ...line.args].join(' ');
    const commands = script
      .split(' ; ')
      .map((one) => one.split(' ').map((word) => (word === '$x' ? null : word)));
    const asked = commands.filter(([name, verb]) => (name === 'git' && verb === 'push') || name === 'sudo');
    const denied = commands.some(([name]) => name === 'reboot');
    const decision = denied ? 'deny' : asked.length > 0 ? 'ask' : 'allow';
    return {
      decision,
      rule: `judge-${decision}`,
      because: text('why', '理由'),
      excerpt: script,
      commands,
      asked,
    };
  },
};

export const local: Caller = { kind: 'local', principal: 'local', sessionId: 's', remote: false };

export function tool(name: string, annotations: Partial<Tool['annotations']> = {}): Tool {
  const all = { readOnly: false, destructive: true, idempotent: false, openWorld: true, ...annotations };
  return { name, annotations: all } as Tool;
}

export function command(script: string): Risk {
  return { command: { line: { kind: 'script', script, shell: 'bash' }, dialect: 'listed' } };
}

export function policy(rules: readonly PolicyRule[] = [], mode: PolicyOptions['mode'] = 'workspace-write') {
  return createPolicy({ mode, rules, judge, roots: ['/workspace'] });
}
