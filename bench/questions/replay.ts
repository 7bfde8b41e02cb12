import { createPolicy } from '../../src/call/policy/policy.ts';
import { hostsOf } from '../../src/config/network-sets.ts';
import type { Caller } from '../../src/contract/caller.ts';
import type { Risk } from '../../src/contract/policy.ts';
import type { Tool } from '../../src/contract/tool/tool.ts';
import { coveredBy, type StandingApproval } from '../../src/ground/questions/grant-rules.ts';
import { createCommandJudge } from '../../src/judgement/judge.ts';
import { createShellExec } from '../../src/tools/agent-cli/shell-exec.ts';
import { careful } from './person.ts';
import { readProject } from './project.ts';
import { readSessions, type SentLine, type Session } from './sessions.ts';

const root = '/workspace';
const network = hostsOf(['npm', 'pypi', 'github', 'crates', 'go']);
/** As tunnels, so that a push is asked about by its words. */
const confinement = { network, tunnels: network };
const judge = createCommandJudge({ read: readProject(root) });
const policy = createPolicy({
  mode: 'workspace-write',
  rules: [],
  judge,
  roots: [root],
  confinement,
  tryFirst: true,
});
const tool = { ...createShellExec(), identity: undefined } as unknown as Tool;
const caller = { kind: 'local', principal: 'local', sessionId: 's' } as unknown as Caller;

/** Policy's word on a line, and the rule that a yes to all like it would write. */
export function decided(command: string, variables?: Readonly<Record<string, string>>) {
  const line = { kind: 'script', script: command, shell: 'bash' } as const;
  const risk: Risk = {
    workingFolder: '.',
    command: { line, dialect: 'plain', variables, endsWithCall: true },
  };
  const verdict = policy.decide(tool, caller, risk);
  return { ...verdict, grant: verdict.decision === 'ask' ? policy.grantOf(tool, risk, verdict) : undefined };
}

/** What the strictest way of reading commands says, with no host listed. */
export function strictest(command: string): string {
  const line = { kind: 'script', script: command, shell: 'bash' } as const;
  return judge.judge(line, {
    dialect: 'strict',
    roots: [root],
    workingFolder: root,
    confinement,
  }).decision;
}

export interface SessionFigures {
  readonly name: string;
  readonly calls: number;
  readonly before: number;
  readonly after: number;
}

export interface Replayed {
  readonly sessions: readonly SessionFigures[];
  /** What stands at the end. */
  readonly grants: readonly StandingApproval[];
  /** Calls that a standing yes let pass. */
  readonly passed: readonly string[];
  /** Calls that were asked about all the same, with the rule that asked. */
  readonly left: readonly { readonly command: string; readonly rule: string }[];
}

/** Walks the sessions in order, with the person answering as they do. */
export function replay(sessions: readonly Session[] = readSessions()): Replayed {
  const lasting: StandingApproval[] = [];
  const passed: string[] = [];
  const left: { command: string; rule: string }[] = [];
  const askedEver: string[] = [];
  const figures = sessions.map(({ name, lines }) => {
    const here: StandingApproval[] = [];
    const askedHere: string[] = [];
    let before = 0;
    let after = 0;
    for (const { command, folder } of lines as readonly SentLine[]) {
      const { grant, rule } = decided(command);
      if (grant === undefined) continue;
      before += 1;
      if (coveredBy([...here, ...lasting], { grant, folder })) {
        passed.push(command);
        continue;
      }
      after += 1;
      left.push({ command, rule });
      const count = (among: readonly string[]) => among.filter((each) => each === grant).length;
      const scope = careful({ grant, likeHere: count(askedHere), likeEver: count(askedEver) });
      askedHere.push(grant);
      askedEver.push(grant);
      if (scope === 'session') here.push({ scope, grant });
      if (scope === 'folder') lasting.push({ scope, grant, folder });
    }
    return { name, calls: lines.length, before, after };
  });
  return { sessions: figures, grants: lasting, passed, left };
}
