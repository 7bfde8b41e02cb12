import type { Command, Option } from 'commander';
import { text } from '../../contract/text/text.ts';
import { say, told } from '../common/say.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import type { CommandWords, OptionWords } from './words.ts';
import { zshCompletion } from './zsh.ts';

/** Prints a completion script; the words come from the program itself, so that none can be missing. */
export function printCompletion(shell: 'bash' | 'zsh' | 'fish', program: Command): number {
  const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };
  say(scripts[shell](wordsOf(program)));
  return 0;
}

function wordsOf(program: Command): readonly CommandWords[] {
  const found: CommandWords[] = [];
  const visit = (command: Command, path: string) => {
    const visible = command.commands.map((child) => ({
      name: child.name(),
      description: child.description(),
    }));
    const options = command.options.filter((option) => !option.hidden).map(optionWords);
    const choices = command.registeredArguments.flatMap((argument) => argument.argChoices ?? []);
    found.push({ path, children: visible, options: [...options, help()], choices });
    for (const child of command.commands)
      visit(child, path === '' ? child.name() : `${path} ${child.name()}`);
  };
  visit(program, '');
  return found;
}

function optionWords(option: Option): OptionWords {
  return {
    name: option.long ?? option.short ?? '',
    description: option.description,
    takesValue: option.required || option.optional,
    choices: option.argChoices ?? [],
  };
}

const help = (): OptionWords => ({
  name: '--help',
  description: told(text('display help for command', 'ヘルプを表示')),
  takesValue: false,
  choices: [],
});
