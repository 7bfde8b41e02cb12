import { type Grammar, passOptions, paths, program, unreadable } from '../grammar.ts';
import { rowsOf } from '../options.ts';

/** `ls -la PATH…`. Follows no link. */
export const ls: Grammar = {
  command: 'ls',
  rows: [
    ...rowsOf(`
      -1 -A -B -C -F -G -N -Q -R -S -U -X -a -b -c -d -f -g -h -i -l -m -n -o -p -q -r -s -t -u -v
      -x --all --almost-all --directory --human-readable --recursive --reverse --size --full-time
      --group-directories-first
    `),
    { flags: ['--color'], value: 'optional', form: /^(never|auto|no|none|tty|if-tty)$/ },
    { flags: ['--classify'], value: 'optional', form: /^(never|auto|always)$/ },
    {
      flags: ['--format'],
      value: 'text',
      form: /^(across|commas|horizontal|long|single-column|verbose|vertical)$/,
    },
    { flags: ['--sort'], value: 'text', form: /^(none|size|time|version|extension|width)$/ },
    {
      flags: ['--time'],
      value: 'text',
      form: /^(atime|access|use|ctime|status|birth|creation|mtime|modification)$/,
    },
    { flags: ['--time-style'], value: 'text', form: /^(full-iso|long-iso|iso|locale|\+[^\n]*)$/ },
    { flags: ['-I', '--ignore'], value: 'text' },
    { flags: ['--hide'], value: 'text' },
    { flags: ['-w', '--width'], value: 'number' },
  ],
  plan: ({ options, operands }) =>
    program('ls', [...passOptions(options), '--', ...paths(operands)], { minor: unreadable }),
};
