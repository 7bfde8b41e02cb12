/** One variable of a git configuration file, its name as git compares it: `remote.Origin.url`. */
export interface ConfigEntry {
  readonly section: string;
  readonly subsection: string | undefined;
  readonly key: string;
  readonly value: string;
}

export interface ConfigText {
  readonly entries: readonly ConfigEntry[];
  /** False where a line is none that git itself would have written, so that we may read it otherwise than git does. */
  readonly isPlain: boolean;
}

/**
 * Reads the form that git writes and no other: no continued lines, no escapes, nothing behind a header. What git takes
 * beyond that is told and not guessed at.
 */
export function readConfig(content: string): ConfigText {
  const entries: ConfigEntry[] = [];
  let header: Pick<ConfigEntry, 'section' | 'subsection'> | undefined;
  let isPlain = true;
  for (const line of content.split('\n')) {
    if (/^[ \t]*([#;][^\0\r]*)?$/.test(line)) continue;
    const section = /^[ \t]*\[([a-z0-9-]+)(?:[ \t]+"([^"\\\0\r]*)")?\][ \t]*$/i.exec(line);
    if (section) {
      header = { section: (section[1] ?? '').toLowerCase(), subsection: section[2] };
      continue;
    }
    const variable =
      /^[ \t]*([a-z][a-z0-9-]*)[ \t]*(?:=[ \t]*(?:"([^"\\\0\r]*)"|([^"\\#;\0\r]*?)))?[ \t]*$/i.exec(line);
    if (!header || !variable) {
      isPlain = false;
      continue;
    }
    const [, key = '', quoted, bare] = variable;
    entries.push({ ...header, key: key.toLowerCase(), value: quoted ?? bare ?? 'true' });
  }
  return { entries, isPlain };
}

/** The same entries in the form that git writes. */
export function printConfig(entries: readonly ConfigEntry[]): string {
  let last = '';
  let printed = '';
  for (const { section, subsection, key, value } of entries) {
    const header = subsection === undefined ? `[${section}]` : `[${section} "${subsection}"]`;
    if (header !== last) printed += `${header}\n`;
    last = header;
    printed += `\t${key} = ${/^[ \t]|[ \t]$|[#;]/.test(value) ? `"${value}"` : value}\n`;
  }
  return printed;
}

/** How git's messages and its manual name a variable. */
export function nameOf({ section, subsection, key }: ConfigEntry): string {
  return subsection === undefined ? `${section}.${key}` : `${section}.${subsection}.${key}`;
}
