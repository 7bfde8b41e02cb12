import type { Passed, Risk } from '../../contract/policy.ts';
import { type Text, text } from '../../contract/text/text.ts';
import type { Tool } from '../../contract/tool/tool.ts';
import { hostsIn } from '../../ground/content/addresses.ts';
import { type Injection, injectionsIn } from '../../ground/content/injections.ts';
import { isCredentialName, isCredentialPath, runsLater } from '../../ground/content/places.ts';

const maxDepth = 8;
const maxChars = 1 << 16;
const maxShortChars = 300;

/**
 * Finds arguments of a proxied tool that reach beyond it: the path of a credential, a file that is obeyed later, an
 * address of a machine's own or in an odd spelling, a command line, or one that is hidden in another value.
 */
export function reachOf(tool: Tool, input: unknown): Pick<Risk, 'reach' | 'passes'> {
  if (tool.server === undefined) return {};
  const strings = stringsIn(input, '', 0);
  const passes = strings.flatMap(({ name, value, whole }) => lineOf(name, value, whole));
  const reach = strings.flatMap(
    ({ argument, name, value }) => reachOfOne(tool, argument, name, value) ?? [],
  )[0];
  return { ...(reach && { reach }), ...(passes.length > 0 && { passes }) };
}

interface Given {
  readonly argument: string;
  readonly name: string;
  readonly value: string;
  /** The object that contains it: its other fields say what kind of value it is. */
  readonly whole: object;
}

function stringsIn(value: unknown, argument: string, depth: number): readonly Given[] {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const path = argument === '' ? name : `${argument}.${name}`;
    if (typeof member !== 'string') return stringsIn(member, path, depth + 1);
    return [{ argument: path, name: name.toLowerCase(), value: member.slice(0, maxChars), whole: value }];
  });
}

function reachOfOne(tool: Tool, argument: string, name: string, value: string): Text | undefined {
  if (!tool.annotations.readOnly && injectionsIn(value).some((kind) => commanding.has(kind)))
    return text(
      `${argument} gives instructions to the model that reads it`,
      `${argument} は、それを読むモデルへの指示を含んでいます`,
    );
  if (value.length > maxShortChars || value.includes('\n')) return undefined;
  if (isCredentialPath(value) || isCredentialName(value))
    return text(
      `${argument} names a credential of this machine`,
      `${argument} はこのマシンの認証情報を指しています`,
    );
  if (!tool.annotations.readOnly && runsLater(value))
    return text(
      `${argument} names a file that later runs or applies without a question`,
      `${argument} は、後で確認なしに実行されるファイルを指しています`,
    );
  if (/(?:^|[\\/])(?:\.\.[\\/]){2,}(?:etc|root|proc|sys|var|home|usr)[\\/]/.test(value))
    return text(
      `${argument} leads outside, to the system`,
      `${argument} は上位をたどってシステムの場所を指しています`,
    );
  if (hostsIn(value).some(({ isOdd }) => isOdd))
    return text(
      `${argument} leads to a machine's own address, or to one in an odd spelling`,
      `${argument} は、マシン内部のアドレスか、変則的に書かれたアドレスを指しています`,
    );
  if (!spoken.has(name) && hiddenCommand.test(value))
    return text(
      `${argument} contains a command inside a value`,
      `${argument} の値の中にコマンドが含まれています`,
    );
  return undefined;
}

/** Orders that no person gives another. */
const commanding = new Set<Injection>(['override', 'role', 'power']);

/** A separator and a program, or a substitution, where one value is expected. */
const hiddenCommand =
  /(?:[;&|]|\|\|)\s*(?:curl|wget|nc|ncat|bash|sh|zsh|rm|python3?|perl|node|cat|chmod|powershell)\s|[;&|]\s*(?:ba|z)?sh$|\$\((?:[a-z]{2,20})\b[^)]{0,200}\)/;

/** The values of these are said or searched for, and may be about commands. */
const spoken = new Set([
  ...['body', 'content', 'text', 'message', 'description', 'comment', 'note', 'title', 'subject', 'summary'],
  ...['query', 'q', 'search', 'code', 'sql', 'pattern', 'regex', 'prompt', 'html', 'markdown'],
  ...['command', 'cmd', 'shell', 'script', 'bash', 'commandline', 'command_line'],
]);

const lines = new Set(['command', 'cmd', 'shell', 'script', 'bash', 'commandline', 'command_line']);

/** A command line that another server is to run, or a script that it is to write. */
function lineOf(name: string, value: string, whole: object): readonly Passed[] {
  if (!lines.has(name)) return /^#! ?\/[\w/ ]{0,40}sh\b/.test(value) ? [{ text: value, isLine: false }] : [];
  const { args } = whole as { readonly args?: unknown };
  const more = Array.isArray(args) ? args.filter((each) => typeof each === 'string') : [];
  const text = [value, ...more.map((each) => `'${each.replaceAll("'", "'\\''")}'`)].join(' ');
  return [{ text, isLine: true }];
}
