import { createHash } from 'node:crypto';
import type { Covered } from '../../contract/people/operator.ts';
import type { AuditRecord, GrantWanted, Scope } from '../../contract/records.ts';
import { coveredBy, rulesOfGrant } from './grant-rules.ts';

/** The facts in a call's record about its question. */
export interface QuestionFacts {
  readonly grant: string;
  readonly folder?: string | undefined;
}

type Approval = Pick<GrantWanted, 'principal' | 'tool' | 'grant'> & {
  readonly scope: Scope;
  readonly folder?: string | undefined;
  /** With the scope `session`. */
  readonly sessionId?: string | undefined;
};

/** The calls that this approval would have answered, and the first five different ones of them. */
export function coveredAmong(entries: readonly AuditRecord[], approval: Approval): Covered {
  const standing = { ...approval, grant: factGrant(approval.grant) };
  // The log also contains acts of people.
  const calls = entries.filter(({ tool }) => !tool.startsWith('sekisho '));
  const covered = calls.filter((entry) => {
    if (entry.principal !== approval.principal || entry.tool !== approval.tool) return false;
    if (approval.scope === 'session' && entry.sessionId !== approval.sessionId) return false;
    return questionFacts(entry).some((asked) => coveredBy([standing], asked) !== undefined);
  });
  const among = [...new Set(covered.map(shownCall))].slice(0, mostShown);
  return { of: calls.length, calls: covered.length, among };
}

/** A grant for the log: a long rule is replaced by its digest, so that no call is stored twice. */
export function factGrant(grant: string): string {
  return rulesOfGrant(grant)
    .map((rule) =>
      rule.length <= longRuleChars
        ? rule
        : `{"tool":${JSON.stringify(`sha256:${createHash('sha256').update(rule).digest('hex')}`)}}`,
    )
    .join(' ');
}

/** The question facts of a record: about the call's words, its effects, a pause at a limit, and its requests. */
function questionFacts({ facts = {} }: Pick<AuditRecord, 'facts'>): readonly QuestionFacts[] {
  const requests = Array.isArray(facts.requests) ? facts.requests : [];
  return [facts.policy, facts.tried, facts.held, ...requests].filter(
    (each): each is QuestionFacts =>
      typeof each === 'object' && each !== null && 'grant' in each && typeof each.grant === 'string',
  );
}

/** A call in one line of at most 80 characters: its command, or its tool with the arguments as JSON. */
export function shownCall({ tool, arguments: given }: Pick<AuditRecord, 'tool' | 'arguments'>): string {
  const command =
    typeof given === 'object' && given !== null && 'command' in given ? given.command : undefined;
  const words = typeof command === 'string' ? command : `${tool} ${JSON.stringify(given ?? {})}`;
  const line = words.replace(/\s+/g, ' ').trim();
  return line.length <= shownChars ? line : `${line.slice(0, shownChars - 1)}…`.toWellFormed();
}

const longRuleChars = 400;
const mostShown = 5;
const shownChars = 80;
