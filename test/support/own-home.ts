import dns from 'node:dns';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/**
 * Each test file has a home folder of its own in which git knows a person and nothing else, and none of the variables by
 * which a machine or its user sets other folders, other settings of git or another language.
 */
for (const name of Object.keys(process.env)) {
  if (/^(XDG|GIT|LC)_|^LANG(UAGE)?$|^E?MAIL$/.test(name)) delete process.env[name];
}
// Below no folder that sandboxes replace by one of their own, as a person's is.
const home = mkdtempSync('/var/tmp/sekisho-home-');
writeFileSync(
  join(home, '.gitconfig'),
  '[user]\n\tname = Tess Test\n\temail = tess@sekisho.example\n[init]\n\tdefaultBranch = main\n',
);
process.env.HOME = home;
process.env.LANG = 'C.UTF-8';
// One process serves its test alone, except where the shared server is what a test is about.
process.env.SEKISHO_RESIDENT = 'off';
process.umask(0o022);

afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Browsers open names below `.localhost` on this machine themselves (RFC 6761); not every machine's resolver knows them. */
const { lookup } = dns;
Object.assign(dns, {
  lookup: (name: string, ...more: [never, never]) =>
    lookup(name.endsWith('.localhost') ? '127.0.0.1' : name, ...more),
});
