/**
 * `node scripts/manuals.ts`: what the manuals installed here say starts a program, and the judge lets pass: options whose
 * value is a command, and variables that hold one. Of what it prints a person says what belongs into the tables of
 * `src/confine/judgement/` (`unwrap/`, `variables/code-variables.ts`), and what is only named like a command.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createCommandJudge } from '../src/confine/judgement/judge.ts';

const judge = createCommandJudge();
const context = { dialect: 'plain', roots: ['/workspace'], workingFolder: '/workspace' } as const;
const hostile = "'rm -rf ~'";

const option =
  /^(--?(?!no-)[A-Za-z][\w-]*)[ =[<]*(COMMAND|PROGRAM|CMD|command|program|cmd|prog|shell|editor|pager)\b/;
const startsProgram = /\b(command line|program|command to|executable|pager|editor|browser|invoked?|run by)\b/;
const variable = /^"?\$?([A-Z][A-Z0-9_]{2,})\b"?[^a-z]*$/;

for (const { program, lines } of manuals()) {
  for (const line of lines) {
    const name = option.exec(line)?.[1];
    if (name && passes(`${program} ${name}${name.startsWith('--') ? '=' : ' '}${hostile} x`))
      console.log(`${program}: ${line.slice(0, 100)}`);
  }
  for (const [name, words] of environmentOf(lines)) {
    if (startsProgram.test(words) && passes(`${name}=${hostile} ${program}`))
      console.log(`${program}: $${name} ${words.slice(0, 100)}`);
  }
}

function passes(script: string): boolean {
  return judge.judge({ kind: 'script', script, shell: 'bash' }, context).decision === 'allow';
}

/** The manuals of programs that are installed, as lines without their markup; headings keep a dot. */
function* manuals() {
  for (const section of ['1', '8']) {
    const folder = `/usr/share/man/man${section}`;
    for (const file of existsSync(folder) ? readdirSync(folder) : []) {
      const program = file.replace(/\.\d\w*(\.gz)?$/, '');
      if (!['/usr/bin', '/usr/sbin'].some((bin) => existsSync(join(bin, program)))) continue;
      const bytes = readFileSync(join(folder, file));
      const source = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
      yield { program, lines: source.split('\n').map(plain) };
    }
  }
}

function plain(line: string): string {
  return line
    .replace(/\\f(\[\w*\]|\(..|.)|\\[&/,]|\\s[-+]?\d/g, '')
    .replaceAll('\\-', '-')
    .replace(/^\.(?!S[HhSs])[A-Za-z]+\s*(Ev |Fl )?/, '');
}

/** Each variable of the section on the environment, with the words that follow it. */
function environmentOf(lines: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let isInside = false;
  let name: string | undefined;
  for (const line of lines) {
    if (/^\.S[HhSs]/.test(line)) {
      isInside = /environ|variables/i.test(line);
      name = undefined;
    } else if (isInside) {
      name = variable.exec(line)?.[1] ?? name;
      if (name) found.set(name, `${found.get(name) ?? ''} ${line}`.slice(0, 400));
    }
  }
  return found;
}
