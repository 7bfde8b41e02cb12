import type { KeptState } from '../../contract/capabilities/process.ts';
import { readShellReport } from './report-words.ts';

/** The initial state of a command. */
export interface Beginning {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

export interface KeepRules {
  /** The folder itself, or undefined if a later command may not begin there. */
  folder(path: string): string | undefined;
  mayKeep(name: string, value: string): boolean;
}

/** The folder and exported variables that a session's commands leave to later ones. */
export function createKept() {
  let folder: string | undefined;
  let begunIn: string | undefined;
  let variables: Readonly<Record<string, string>> = {};

  function takeFolder(said: string, beginning: Beginning, rules: KeepRules): readonly string[] {
    if (said === beginning.folder) return [];
    const taken = rules.folder(said);
    if (taken === undefined)
      return ['[session: the next command begins where this one did: it ended outside]\n'];
    folder = taken;
    return [];
  }

  function takeVariables(
    said: ReadonlyMap<string, string>,
    { environment }: Beginning,
    rules: KeepRules,
  ): readonly string[] {
    const changed = [...said].filter(([name, value]) => environment[name] !== value && !ofTheShell.has(name));
    const next = new Map(Object.entries(variables));
    for (const name of Object.keys(environment)) if (!said.has(name)) next.delete(name);
    const left: string[] = [];
    for (const [name, value] of changed) {
      if (rules.mayKeep(name, value)) next.set(name, value);
      else left.push(name);
    }
    const bytes = [...next].reduce((sum, [name, value]) => sum + name.length + Buffer.byteLength(value), 0);
    if (next.size > maxVariables || bytes > maxBytes) left.push(...changed.map(([name]) => name));
    else variables = Object.fromEntries(next);
    return left.length === 0
      ? []
      : [`[session: not kept for later commands: ${left.slice(0, shown).join(', ')}]\n`];
  }

  return {
    state: (): KeptState => ({ variables, ...(folder !== undefined && { folder }) }),
    /** Later commands begin here; naming the same folder again does not undo changes since. */
    begin(path: string): void {
      if (begunIn === path) return;
      begunIn = path;
      folder = path;
    },
    /** The folder is gone: later commands do not begin in another of its name. */
    dropFolder(): void {
      folder = undefined;
    },
    /** Adopts a command's changes and returns notes about the others. Changes of concurrent commands stay. */
    take(report: Buffer | undefined, beginning: Beginning, rules: KeepRules): readonly string[] {
      const said = report && readShellReport(report);
      if (!said) return [];
      return [
        ...takeFolder(said.folder, beginning, rules),
        ...takeVariables(said.variables, beginning, rules),
      ];
    },
  };
}

/** Every shell sets these itself. */
const ofTheShell: ReadonlySet<string> = new Set(['PWD', 'OLDPWD', 'SHLVL', '_']);
const maxVariables = 200;
const maxBytes = 32 * 1024;
const shown = 10;
