import { posix } from 'node:path';
import type { Word } from '../../words/word.ts';
import type { Scene } from '../rule.ts';
import { type Installer, installers } from './installers.ts';
import { isNamedIn, nameIn } from './manifest.ts';

/**
 * Does this line install only packages of the project's manifest, from a registry that the operator lists? The list
 * bounds its fetches and the roots bound its writes, so no question is needed.
 */
export function installsFromManifest(program: string, args: readonly Word[], scene: Scene): boolean {
  const installer = installers.get(program);
  const listed = scene.confinement?.network ?? [];
  if (!installer?.registry.every((host) => listed.some((entry) => covers(entry, host)))) return false;
  const operands = operandsRead(installer, args);
  return operands?.every((operand) => isOfHere(operand) || isNamed(operand, installer, scene)) ?? false;
}

/** The words after the verb, and values of options that are not known; undefined if a word is unknown or an address. */
function operandsRead(installer: Installer, args: readonly Word[]): readonly string[] | undefined {
  const operands: string[] = [];
  const values = args.map(({ value }) => value);
  let isOption = true;
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    if (value === undefined) return undefined;
    if (!isOption || !value.startsWith('-') || value === '-') {
      operands.push(value);
      continue;
    }
    if (value === '--') {
      isOption = false;
      continue;
    }
    const equals = value.indexOf('=');
    const name = equals < 0 ? value : value.slice(0, equals);
    const takesNext = equals < 0 && [...(installer.lists ?? []), ...installer.valued].includes(name);
    const given = takesNext ? values[++at] : value;
    // An address may be another source.
    if (given === undefined || given.includes(':') || (takesNext && given.startsWith('-'))) return undefined;
  }
  const verb = installer.verbs.find((one) => {
    const wanted = one.split(' ').filter((word) => word !== '');
    return one === '' ? operands.length === 0 : wanted.every((word, at) => operands[at] === word);
  });
  return verb === undefined ? undefined : operands.slice(verb === '' ? 0 : verb.split(' ').length);
}

/** `.`, `./web`, `.[dev]`: the project itself, or one at a relative path. */
function isOfHere(operand: string): boolean {
  return /^\.{1,2}(\/|\[|$)/.test(operand);
}

function isNamed(operand: string, installer: Installer, scene: Scene): boolean {
  const name = nameIn(operand);
  if (name === undefined) return false;
  return scene.folders.some((folder) =>
    installer.manifests.some((file) => {
      const text = scene.read(posix.join(folder, file));
      return text !== undefined && isNamedIn(file, text, name);
    }),
  );
}

/** Does an entry of the operator's list name this host? */
function covers(entry: string, host: string): boolean {
  const name = entry.toLowerCase().replace(/:443$/, '');
  return name === host || (name.startsWith('*.') && host.endsWith(name.slice(1)));
}
