import { ToolError } from '../contract/error.ts';
import type { Person } from '../contract/people/person.ts';
import type { ApprovalRecord } from '../contract/records.ts';

/** Whether this person may answer: an operator, but not by the token that made the call, which would be the program. */
export function mayAnswer(person: Person, record: ApprovalRecord): 'yes' | 'forbidden' | 'own' {
  if (!person.isOperator) return 'forbidden';
  if (record.answer === 'person' && !ownFaces.includes(person.face)) return 'forbidden';
  return person.principal !== 'local' && record.principal === person.principal ? 'own' : 'yes';
}

/** Where a person was certainly present: by typing in our terminal, or by their login at the console. */
const ownFaces: readonly string[] = ['cli', 'console'];

/** The owner whose memories a person may access: any for an operator, otherwise themselves if the token allows. */
export function memoryOwner(person: Person, wanted: string | undefined): string | undefined {
  if (person.isOperator) return wanted ?? person.principal;
  if (person.toolsets && !person.toolsets.includes('assistant')) return undefined;
  return wanted === undefined || wanted === person.principal ? person.principal : undefined;
}

/** Throws `forbidden` unless the person is an operator or acts on their own memories. */
export function assertMay(person: Person, ownMemoriesOf?: string): void {
  if (person.isOperator) return;
  if (ownMemoriesOf !== undefined && memoryOwner(person, ownMemoriesOf) === ownMemoriesOf) return;
  throw new ToolError('forbidden', 'Only an operator may do this.', '運用者だけが行える操作です。');
}
