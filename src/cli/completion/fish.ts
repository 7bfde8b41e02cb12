import type { CommandWords } from './words.ts';

/** Completion for fish, which shows descriptions. */
export function fishCompletion(commands: readonly CommandWords[]): string {
  return [
    `function __sekisho_at
  set -l path
  for word in (commandline -opc)[2..-1]
    switch (string trim -- "$path $word")
      case ${commands.flatMap(({ path }) => (path === '' ? [] : [quoted(path)])).join(' ')}
        set path (string trim -- "$path $word")
    end
  end
  test "$path" = "$argv[1]"
end`,
    ...commands.flatMap(linesOf),
  ].join('\n');
}

function linesOf({ path, children, choices, options }: CommandWords): readonly string[] {
  const at = `complete -c sekisho -n ${quoted(`__sekisho_at "${path}"`)}`;
  return [
    // Only commands without words of their own may take a file.
    ...(children.length + choices.length > 0 ? [`${at} -f`] : []),
    ...children.map(({ name, description }) => `${at} -a ${name} -d ${quoted(description)}`),
    ...choices.map((choice) => `${at} -a ${choice}`),
    ...options.map(({ name, description, takesValue, choices: values }) => {
      const value = values.length > 0 ? ` -x -a ${quoted(values.join(' '))}` : takesValue ? ' -r' : '';
      return `${at} -l ${name.slice(2)}${value} -d ${quoted(description)}`;
    }),
  ];
}

function quoted(words: string): string {
  return `'${words.replace(/[\\']/g, '\\$&')}'`;
}
