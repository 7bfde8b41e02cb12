import type * as z from 'zod';
import type { teamActs } from './acts.ts';
import type * as shapes from './shapes.ts';

type Acts = typeof teamActs;

/** The input of an act. */
export type Asked<A extends keyof Acts> = z.output<Acts[A]['input']>;
/** The result of an act. */
export type Answered<A extends keyof Acts> = z.input<Acts[A]['output']>;

/** The capability `team`, scoped to the calling agent's project. Every change is on disk when it resolves. */
export type Team = {
  readonly [A in keyof Acts]: string extends keyof Asked<A>
    ? () => Promise<Answered<A>>
    : A extends 'nextAction' | 'taskConversations'
      ? (input: Asked<A>, signal: AbortSignal) => Promise<Answered<A>>
      : (input: Asked<A>) => Promise<Answered<A>>;
};

export type TaskView = z.input<typeof shapes.task>;
export type AgentProfile = z.input<typeof shapes.profile>;
export type MessageView = z.input<typeof shapes.message>;
export type ConversationView = z.input<typeof shapes.conversation>;
export type DelegationView = z.input<typeof shapes.delegation>;
export type TaskEventView = Answered<'getTask'>['events'][number];
