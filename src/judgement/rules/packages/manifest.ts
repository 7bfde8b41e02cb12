/** The package that an installer's word names, without its version; undefined for an address, a path or an alias. */
export function nameIn(operand: string): string | undefined {
  return /^(@?[a-z\d_][\w./-]*)(\[[\w,.-]*\])?(@[\w.^~<>=*-]*|[<>=!~]=?[\w.*,<>=!~]*)?$/i.exec(operand)?.[1];
}

/** Does a manifest of this name list the package as a dependency? */
export function isNamedIn(file: string, text: string, name: string): boolean {
  return file.endsWith('.json') ? isDependency(text, name) : beginsEntry(text, name);
}

function isDependency(text: string, name: string): boolean {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    // The file is half written and names nothing yet.
    return false;
  }
  const sections = Object.entries(Object(manifest)).filter(([key]) =>
    /^(require(-dev)?|\w*ependencies)$/.test(key),
  );
  return sections.some(
    ([, section]) => typeof section === 'object' && section !== null && Object.hasOwn(section, name),
  );
}

/** A requirement, a key or a module name begins its line, or a quoted text. */
function beginsEntry(text: string, name: string): boolean {
  const written = name.replace(/[-_.]+/g, '-').toLowerCase();
  return text.split('\n').some((line) =>
    [
      line.trim().replace(/^(require|gem)\b\s*/, ''),
      ...line.split(/["']/).filter((_, at) => at % 2 === 1),
    ].some((entry) => {
      const named = /^["']?([\w./-]+)/.exec(entry)?.[1];
      return named !== undefined && named.replace(/[-_.]+/g, '-').toLowerCase() === written;
    }),
  );
}
