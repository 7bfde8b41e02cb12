import { expect, test } from 'vitest';
import { settingsHeading } from '../../src/cli/common/options.ts';
import { commandsBelow, nameOf } from '../../src/cli/program/help.ts';
import { createProgram } from '../../src/cli/program/program.ts';

const commands = commandsBelow(createProgram(() => undefined)).filter(
  (command) => command.commands.length === 0 || command.registeredArguments.length > 0,
);

test.each(commands.map((command) => [nameOf(command), command] as const))(
  'the help of %s begins with its own options and ends with an example that it takes',
  (name, command) => {
    let help = '';
    command.configureOutput({ writeOut: (words) => (help += words) }).outputHelp();
    const settings = help.indexOf(settingsHeading.en);
    const own = command.options.filter(({ helpGroupHeading }) => helpGroupHeading !== settingsHeading.en);
    if (settings >= 0) {
      for (const { flags } of own) expect(help.indexOf(flags)).toBeLessThan(settings);
    }

    const example = /\nExample:\n {2}sekisho (.+)\n$/.exec(help)?.[1] ?? '';
    expect(example).toMatch(new RegExp(`^${name}( |$)`));
    const typed = wordsOf(example.replace(/ >>? .*/, '')).slice(name.split(' ').length);
    const { operands, unknown } = command.parseOptions(typed);
    expect(unknown).toEqual([]);
    const needed = command.registeredArguments.filter(({ required }) => required).length;
    expect(operands.length).toBeGreaterThanOrEqual(needed);
    if (!command.registeredArguments.some(({ variadic }) => variadic)) {
      expect(operands.length).toBeLessThanOrEqual(command.registeredArguments.length);
    }
  },
);

test('a command line that names a command has that one, and few beside it', () => {
  const all = createProgram(() => undefined).commands.map((command) => command.name());
  for (const name of all.filter((each) => each !== 'completion')) {
    const named = createProgram(() => undefined, [name]).commands.map((command) => command.name());
    expect(named).toContain(name);
    expect(named.length).toBeLessThan(all.length / 2);
  }
  expect(createProgram(() => undefined, ['completion']).commands).toHaveLength(all.length);
  expect(createProgram(() => undefined, ['help', 'call']).commands).toHaveLength(all.length);
});

/** As a shell splits it; enough for our examples. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? '',
  );
}
