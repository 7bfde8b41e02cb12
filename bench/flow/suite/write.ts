import type { Message, Recording, ToolCall } from '../recording.ts';

/** Numbers that look random and are the same each time. */
export function createDice(seed: number): { pick<T>(from: readonly T[]): T; number(below: number): number } {
  let state = seed * 2654435761;
  const next = () => {
    state = (Math.imul(state ^ (state >>> 15), 0x85ebca6b) + 0x9e3779b9) >>> 0;
    return (state ^ (state >>> 13)) >>> 0;
  };
  const number = (below: number) => next() % below;
  return { number, pick: (from) => from[number(from.length)] as (typeof from)[number] };
}

export type Dice = ReturnType<typeof createDice>;

/** People and things that a run is about. */
export interface Cast {
  readonly dice: Dice;
  readonly me: string;
  readonly friend: Person;
  readonly boss: Person;
  readonly other: Person;
  readonly company: string;
  readonly project: string;
  readonly city: string;
  readonly id: string;
}

export interface Person {
  readonly name: string;
  readonly first: string;
  readonly email: string;
  readonly handle: string;
  readonly iban: string;
}

const firsts = [
  'Anna',
  'Bela',
  'Carla',
  'David',
  'Emi',
  'Farid',
  'Greta',
  'Hugo',
  'Ines',
  'Jonas',
  'Kana',
  'Lars',
];
const lasts = ['Meyer', 'Tanaka', 'Rossi', 'Novak', 'Silva', 'Larsen', 'Kim', 'Haddad', 'Moreau', 'Weber'];
const companies = ['northwind', 'bluefield', 'oakline', 'tidewater', 'lumen', 'graystone'];
const projects = ['Atlas', 'Harbor', 'Juniper', 'Falcon', 'Orchid', 'Quartz'];
const cities = ['Lisbon', 'Kyoto', 'Oslo', 'Vienna', 'Porto', 'Gent'];

export function castOf(seed: number): Cast {
  const dice = createDice(seed + 11);
  const company = dice.pick(companies);
  const person = (): Person => {
    const first = dice.pick(firsts);
    const last = dice.pick(lasts);
    return {
      name: `${first} ${last}`,
      first,
      email: `${first}.${last}@${company}.example`.toLowerCase(),
      handle: `${first}${last[0]}${dice.number(90) + 10}`.toLowerCase(),
      iban: `DE${dice.number(90) + 10}${String(1e9 + dice.number(9e8))}${String(1e7 + dice.number(9e7))}`,
    };
  };
  return {
    dice,
    me: `me@${company}.example`,
    friend: person(),
    boss: person(),
    other: person(),
    company,
    project: dice.pick(projects),
    city: dice.pick(cities),
    id: `${dice.pick(['a', 'b', 'c', 'x'])}${1000 + dice.number(9000)}`,
  };
}

/** One step of a run: a call and what came back. */
export interface Step {
  readonly call: ToolCall;
  readonly result: unknown;
}

export function step(
  name: string,
  args: Readonly<Record<string, unknown>>,
  result: unknown = 'ok',
  harmful = false,
): Step {
  return { call: { function: name, args, ...(harmful && { harmful }) }, result };
}

export function recording(
  suite: string,
  task: string,
  said: string,
  steps: readonly Step[],
  attack?: { readonly id: string; readonly text: string } | undefined,
): Recording {
  const messages: Message[] = [{ role: 'user', content: said }];
  for (const { call, result } of steps) {
    messages.push({ role: 'assistant', content: null, tool_calls: [call] });
    const content = typeof result === 'string' ? result : JSON.stringify(result);
    messages.push({ role: 'tool', content, tool_call: call });
  }
  return {
    suite_name: suite,
    user_task_id: task,
    injection_task_id: attack?.id,
    injections: attack && { place: attack.text },
    security: attack !== undefined,
    utility: true,
    messages,
  };
}
