import type { Command, Option } from 'commander';
import { Command as Program } from 'commander';
import { withSettings } from '../src/cli/common/options.ts';
import { createProgram } from '../src/cli/program/program.ts';

/** The manual page, from the program itself: no command or option can be missing or out of date. */
export function manPage(): string {
  const program = createProgram(() => {});
  const shared = withSettings(new Program());
  const sharedFlags = new Set(shared.options.map((option) => option.flags));
  return `${[
    `.TH SEKISHO 1 "" "sekisho" "User Commands"`,
    '.SH NAME',
    `sekisho \\- ${plain(withoutStop(program.description()))}`,
    '.SH SYNOPSIS',
    '.B sekisho',
    '.I command',
    '.RI [ options ]',
    '.SH DESCRIPTION',
    'An MCP server whose every call is identified, authorized, limited, validated, approved, confined and recorded.',
    '.B sekisho serve',
    'speaks to a client; the other commands set it up, answer its questions and read its records.',
    '.SH COMMANDS',
    ...leaves(program).flatMap(({ path, command }) => commandEntry(path, command, sharedFlags)),
    '.SH OPTIONS',
    'Commands marked with [settings] take these as well:',
    ...shared.options.flatMap(optionEntry),
    ...closingSections,
  ].join('\n')}\n`;
}

interface Leaf {
  readonly path: string;
  readonly command: Command;
}

/** Commands that do something, by their whole path: `token create`. */
function leaves(command: Command, path = ''): readonly Leaf[] {
  return command.commands.flatMap((child) => {
    const childPath = path === '' ? child.name() : `${path} ${child.name()}`;
    const below = leaves(child, childPath);
    const actsItself = below.length === 0 || child.registeredArguments.length + child.options.length > 0;
    return actsItself ? [{ path: childPath, command: child }, ...below] : below;
  });
}

function commandEntry(path: string, command: Command, sharedFlags: ReadonlySet<string>): string[] {
  const own = command.options.filter((option) => !option.hidden && !sharedFlags.has(option.flags));
  const takesSettings = command.options.some((option) => sharedFlags.has(option.flags));
  const operands = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  const title = [path, ...operands, ...(takesSettings ? ['[settings]'] : [])].join(' ');
  return [`.SS ${plain(title)}`, `${plain(sentence(command.description()))}`, ...own.flatMap(optionEntry)];
}

function optionEntry(option: Option): string[] {
  const choices = option.argChoices ? ` (${option.argChoices.join(', ')})` : '';
  const preset = option.defaultValue === undefined ? '' : ` (default: ${String(option.defaultValue)})`;
  return ['.TP', `.B ${plain(option.flags)}`, plain(sentence(`${option.description}${choices}${preset}`))];
}

const closingSections = [
  '.SH EXIT STATUS',
  ...[
    '0\nDone.',
    '1\nThe task failed.',
    '2\nThe configuration, an option or a permission.',
    '3\nThe system.',
    '141\nWhoever read the output left before its end.',
  ].map((words) => `.TP\n.B ${words}`),
  '.SH FILES',
  '.TP',
  '.I ~/.config/sekisho/sekisho.jsonc',
  'The configuration, where \\-\\-config names no other.',
  '.TP',
  '.I ~/.local/state/sekisho/',
  'Records, keys and tokens, a folder for each workspace.',
  '.SH EXAMPLES',
  '.nf',
  plain('sekisho serve --profile coding --root ~/project'),
  plain(`sekisho call file_read '{"path": "README.md"}'`),
  plain('sekisho serve --http 127.0.0.1:7040'),
  plain('sekisho token create --user hana --expires 30d'),
  plain('sekisho audit tail --follow'),
  '.fi',
];

function sentence(words: string): string {
  // The name of a tool keeps its first letter.
  const first = words.replace(
    /^[a-z][a-z.]*(?=[\s,;])/,
    (word) => word.charAt(0).toUpperCase() + word.slice(1),
  );
  return /[.!?…]$/.test(first) ? first : `${first}.`;
}

function withoutStop(words: string): string {
  return words.replace(/\.$/, '');
}

/** Words as roff takes them literally: hyphens that are typed, no control line by accident, ASCII alone. */
function plain(words: string): string {
  const escaped = words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replace(
      /[^ -~]/gu,
      (char) => `\\[u${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
    );
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}
