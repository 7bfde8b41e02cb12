import type { Question } from '../../contract/call.ts';

/** A person has to answer before the call can continue; the transport carries the question. */
export class QuestionPending extends Error {
  readonly question: Question;
  constructor(question: Question) {
    super('A person must answer first.');
    this.question = question;
  }
}
