import type { ParsedScript } from 'unbash';

/** `$(pwd)`. */
export function isHere(script: ParsedScript | undefined): boolean {
  const command =
    script?.commands.length === 1 && !script.errors?.length ? script.commands[0]?.command : undefined;
  if (command?.type !== 'Command' || command.name?.text !== 'pwd') return false;
  return command.args.length + command.prefix.length + command.redirects.length === 0;
}

/** `$(command -v python3 || which python)`: each program that it may find. */
export function programsFound(script: ParsedScript | undefined): readonly string[] | undefined {
  const [statement, ...more] = script?.commands ?? [];
  if (!statement || more.length > 0 || script?.errors?.length || statement.background) return undefined;
  const { command } = statement;
  const parts = command.type === 'AndOr' ? command.commands : [command];
  if (command.type === 'AndOr' && command.operators.some((operator) => operator !== '||')) return undefined;
  const names = parts.map((part) => {
    if (part.type !== 'Command' || part.prefix.length > 0 || part.args.some(({ type }) => type !== 'Word'))
      return undefined;
    const line = [part.name?.text ?? '', ...part.args.map((arg) => ('text' in arg ? arg.text : ''))].join(
      ' ',
    );
    return /^(which|command -v|type -[pP]|realpath|readlink -f) ([\w.+-]*\w)$/.exec(line)?.[2];
  });
  return names.every((name) => name !== undefined) ? names : undefined;
}

/** `$(git rev-parse --show-toplevel)`, `$(dirname "$f")`: one path. */
export function givesPath(script: ParsedScript | undefined): boolean {
  const [statement, ...more] = script?.commands ?? [];
  const command = statement?.command;
  if (more.length > 0 || command?.type !== 'Command' || script?.errors?.length) return false;
  if (command.prefix.length > 0 || statement?.background) return false;
  const name = command.name?.text ?? '';
  const [verb, what] = command.args.map((arg) => (arg.type === 'Word' ? arg.text : ''));
  if (name === 'git')
    return verb === 'rev-parse' && /^--(show-toplevel|git-dir|git-common-dir)$/.test(what ?? '');
  return /^(dirname|realpath|readlink|pwd)$/.test(name);
}

/** Does it give nothing but the path of a new file or folder of mktemp's own? */
export function isNewPath(script: ParsedScript | undefined): boolean {
  const command =
    script?.commands.length === 1 && !script.errors?.length ? script.commands[0]?.command : undefined;
  if (command?.type !== 'Command' || command.name?.text !== 'mktemp' || command.prefix.length > 0)
    return false;
  return (
    command.args.every(
      (word) => word.type === 'Word' && /^(-d|-t|--directory|[\w/][\w/.-]*)$/.test(word.text),
    ) && !command.args.some((word, at) => /^[\w]/.test(word.text) && command.args[at - 1]?.text !== '-t')
  );
}
