/** What the changelog says of a version, without its heading. Throws where it says nothing. */
export function notesOf(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((words) =>
    new RegExp(`^\\[?${version.replaceAll('.', '\\.')}\\b`).test(words),
  );
  const notes = section?.slice(section.indexOf('\n')).trim();
  if (!notes) throw new Error(`CHANGELOG.md has no section ${version}.`);
  return `${notes}\n`;
}
