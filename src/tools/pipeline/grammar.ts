import type {
  ProgramName,
  ProgramWork,
  StageArgument,
  StagePlan,
} from '../../contract/capabilities/pipeline.ts';
import type { OptionTable, ParsedArguments, ParsedOption } from './options.ts';
import type { Word } from './words.ts';

/** A command that a pipeline may contain: its option table, and how its operands are read. */
export interface Grammar extends OptionTable {
  /** Only with `pipeline.commands: "extended"`. */
  readonly extended?: boolean | undefined;
  plan(args: ParsedArguments, context: PlanContext): StagePlan['work'];
}

export interface PlanContext {
  /** The text of a program file inside the workspace. */
  readProgram(path: string): string;
  /** The position of the stage. */
  readonly isFirst: boolean;
  /** The words as given, for suggestions. */
  readonly words: readonly Word[];
}

/** Work for a program, with the common defaults filled in. */
export function program(
  name: ProgramName,
  args: readonly StageArgument[],
  more: Partial<Pick<ProgramWork, 'reads' | 'answers' | 'minor'>> = {},
): ProgramWork {
  return { kind: 'program', program: name, args, reads: [], answers: [0], ...more };
}

/** Messages of a command that walks folders about unreadable ones, or ones deleted during the walk. */
export const unreadable = /: (Permission denied|No such file or directory)( \(os error \d+\))?$/;

/** Options as they are passed on: each in its table's first spelling, so that no program reads them differently. */
export function passOptions(options: readonly ParsedOption[]): StageArgument[] {
  return options.flatMap(({ row, value }) => {
    const name = row.flags[0] ?? '';
    if (value === undefined) return [name];
    if (row.value === 'file') return [name, value === '-' ? '-' : { file: value }];
    return name.startsWith('--') ? [`${name}=${value}`] : [name, value];
  });
}

/** Operands that are files to read; `-` stays standard input. */
export function files(operands: readonly Word[]): StageArgument[] {
  return operands.map(({ text, globbed }) => (text === '-' ? '-' : { file: text, globbed }));
}

/** Operands that are files or folders. */
export function paths(operands: readonly Word[]): StageArgument[] {
  return operands.map(({ text, globbed }) => (text === '-' ? '-' : { path: text, globbed }));
}
