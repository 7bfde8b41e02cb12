import { ToolError } from '../contract/error.ts';
import type { Person } from '../contract/person.ts';
import type { ApprovalRecord } from '../contract/records.ts';
import { text } from '../contract/text/text.ts';

/**
 * May this person answer that question? Operators alone, and none by a token for the calls that were made with it: a
 * program that holds a token must not be able to agree to what it asks for.
 */
export function mayAnswer(person: Person, record: ApprovalRecord): 'yes' | 'forbidden' | 'own' {
  if (!person.isOperator) return 'forbidden';
  if (record.answer === 'person' && !ownFaces.includes(person.face)) return 'forbidden';
  return person.principal !== 'local' && record.principal === person.principal ? 'own' : 'yes';
}

/** Where we have seen the person: by what they typed at our terminal, or by their login at the console. */
const ownFaces: readonly string[] = ['cli', 'console'];

/** Whose memories a person may touch: an operator's choice, everybody else their own, if their token covers them. */
export function memoryOwner(person: Person, wanted: string | undefined): string | undefined {
  if (person.isOperator) return wanted ?? person.principal;
  if (person.toolsets && !person.toolsets.includes('assistant')) return undefined;
  return wanted === undefined || wanted === person.principal ? person.principal : undefined;
}

/** Throws `forbidden` unless the act is the person's to do: an operator's, or one on their own memories. */
export function assertMay(person: Person, ownMemoriesOf?: string): void {
  if (person.isOperator) return;
  if (ownMemoriesOf !== undefined && memoryOwner(person, ownMemoriesOf) === ownMemoriesOf) return;
  throw new ToolError('forbidden', text('Only an operator may do this.', '運用者だけが行える操作です。'));
}
