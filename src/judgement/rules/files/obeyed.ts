import { text } from '../../../contract/text/text.ts';
import { expandBraces } from '../../../ground/glob/braces.ts';
import { compileGlob, unicodeClasses } from '../../../ground/glob/match.ts';
import { obeyedLater } from '../../../ground/obeyed/obeyed-later.ts';
import { obeyedNames } from '../../../ground/obeyed/obeyed-names.ts';
import { hasOption, optionsNamed, readOptions } from '../../words/options.ts';
import type { Word } from '../../words/word.ts';
import type { CommandRule, Use } from '../rule.ts';

/**
 * Commands that write files, by name, that programs obey later. In a sandbox such files are read-only, or asked about
 * when they land; without one, only the words can be judged. Redirections are checked with the same names.
 */
export const obeyedRules: readonly CommandRule[] = [
  {
    id: 'obeyed-later',
    decision: 'ask',
    programs: ['tee', 'cp', 'mv', 'ln', 'install', 'rsync', 'sed', 'touch', 'sponge'],
    because: text(
      'it writes a file that later runs without a question: git, an editor, a hook, a shell or an agent acts on it',
      '後で確認なしに実行されるファイルを書き込みます。git、エディター、フック、シェル、またはエージェントが使います',
    ),
    suggestion: text("It needs a person's approval.", '人の承認が必要です。'),
    fits: (use, { confinement }) => !confinement && writtenBy(use).some(isObeyed),
    examples: ['tee .git/hooks/pre-commit', 'cp evil .git/hooks/pre-push', 'echo x >> .git/config'],
  },
];

/** Is this the name of a file that programs obey later? */
export function isObeyed({ value, text }: Word): boolean {
  const path = (value ?? text.replace(/["']/g, ''))
    .replace(/^(~|\$HOME|\$\{HOME\})\/|^\.\//, '')
    .toLowerCase();
  return mayBeMeant.test(path) && patterns().some((fits) => fits(path));
}

/** A quick test: most words name no such file. */
const mayBeMeant = /(^|\/)\.|sekisho\.json|lefthook|mise|rust-toolchain|\.code-workspace/;

/** The files that a command writes, judged by its words. */
function writtenBy({ program, args }: Use): readonly Word[] {
  if (/^(tee|sponge|touch)$/.test(program))
    return readOptions(args, { valued: program === 'touch' ? 'drt' : '' }).operands;
  if (program === 'sed') {
    const options = readOptions(args, { valued: 'efl', longValued: ['expression', 'file'] });
    return hasOption(options, 'i', ['in-place']) ? options.operands : [];
  }
  const options = readOptions(args, { valued: 'tSmog', longValued: ['target-directory', 'suffix', 'mode'] });
  const folder = optionsNamed(options, 't', ['target-directory'])[0]?.value;
  const target = folder ?? (options.operands.length > 1 ? options.operands.at(-1) : undefined);
  return target ? [target] : [];
}

type Fits = (path: string) => boolean;

let compiled: readonly Fits[] | undefined;

function patterns(): readonly Fits[] {
  compiled ??= [
    ...obeyedLater.map(({ paths }) => paths),
    ...[...obeyedNames, '.git/hooks', '.git/config', '.git/info/attributes'].map((name) => `**/${name}/**`),
  ].map(fitsGlob);
  return compiled;
}

function fitsGlob(pattern: string): Fits {
  const globs = [...expandBraces(pattern.toLowerCase())].flatMap((one) =>
    [one, ...(one.endsWith('/**') ? [one.slice(0, -3)] : [])].map((glob) =>
      compileGlob(glob, { wideInNames: true, classes: unicodeClasses }),
    ),
  );
  return (path) => globs.some((fits) => fits(path));
}
