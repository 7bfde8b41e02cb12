import type { Caller } from '../../contract/caller.ts';
import type { Covered } from '../../contract/people/operator.ts';
import type { OutsideRun, PolicyVerdict, Risk } from '../../contract/policy.ts';
import type { QuestionParts } from '../../contract/records.ts';
import { cleanLine, cleanText } from '../../contract/text/clean-text.ts';
import { type Locale, type Text, text } from '../../contract/text/text.ts';
import type { Tool } from '../../contract/tool/tool.ts';
import { counted } from '../../ground/counted.ts';
import { ruleName } from '../../ground/questions/rule-name.ts';
import { withoutSecrets } from '../../ground/secrets/without-secrets.ts';
import { shellQuote, shownLine } from '../../ground/shell-quote.ts';

const maxChars = 6500;
const endChars = 1500;
const headlineChars = 100;
const riskyChars = 60;

/**
 * The text that a person reads before agreeing. The first line is all that a dialog of three lines shows: the risky
 * part and the reason. Then come the real command or arguments, the place, and the rule that asked. Everything that a
 * caller wrote is cleaned, so that no escape or hidden character can change how it reads.
 */
export function questionFor(asked: {
  readonly tool: Tool;
  readonly caller: Caller;
  readonly risk: Risk;
  readonly input: unknown;
  readonly verdict: PolicyVerdict;
  /** The extent of a standing approval; undefined if none is offered. */
  readonly grant?: string | undefined;
  readonly covered?: Covered | undefined;
}): Text {
  return text(questionIn('en', asked), questionIn('ja', asked));
}

function questionIn(locale: Locale, asked: Parameters<typeof questionFor>[0]): string {
  const { tool, risk, verdict } = asked;
  const lines = [headline(tool, risk, verdict, locale), ...callLines(asked, locale)];
  if (risk.writes?.length) lines.push(`${labels.changes[locale]}: ${cleanLine(risk.writes.join(', '))}`);
  if (risk.hosts?.length) lines.push(`${labels.hosts[locale]}: ${cleanLine(risk.hosts.join(', '))}`);
  const grants = asked.grant === undefined ? [] : grantLines(asked.grant, asked.covered, locale);
  return [...lines.map(shortened), ...reasonLines(verdict, locale), ...grants].join('\n');
}

type Asked = Omit<Parameters<typeof questionFor>[0], 'verdict' | 'grant' | 'covered'>;

/** The same for a page: the call and the reason, and the rest. `client`: the client's own name. */
export function questionParts(
  { tool, risk, input }: Omit<Asked, 'caller'>,
  { because, others = 0 }: Pick<PolicyVerdict, 'because' | 'others'>,
  client: { readonly name: string } | undefined,
): QuestionParts {
  const line = risk.command && cleanText(shownLine(risk.command.line));
  const about = risk.writes?.[0] ?? risk.reads?.[0] ?? risk.hosts?.[0] ?? '';
  const inBoth = (of: (locale: Locale) => string) => text(of('en'), of('ja'));
  return {
    what: shortened(line ?? cleanLine(`${tool.name} ${about}`.trim())),
    client: client && cleanLine(client.name).slice(0, riskyChars),
    because: inBoth((locale) =>
      cleanLine(`${because[locale]}${others > 0 ? labels.more(others)[locale] : ''}`).slice(0, maxChars),
    ),
    folder: risk.workingFolder === '.' ? undefined : risk.workingFolder && cleanLine(risk.workingFolder),
    details: inBoth((locale) =>
      [...(risk.command ? [] : argumentsOf({ risk, input }, locale)), ...variableLines(risk, locale)]
        .map(shortened)
        .join('\n'),
    ),
  };
}

/** The lines of a question that name the caller, the action and the place. */
export function callLines({ tool, caller, risk, input }: Asked, locale: Locale): string[] {
  const what = risk.command
    ? [`${labels.command[locale]}: ${continued(shownLine(risk.command.line))}`]
    : argumentsOf({ risk, input }, locale);
  const wants = cleanLine(labels.wants(caller.principal, tool.name)[locale]);
  return [wants, ...what, ...placeLines(risk, locale)].map(shortened);
}

function argumentsOf({ risk, input }: Pick<Asked, 'risk' | 'input'>, locale: Locale): readonly string[] {
  if (risk.steps) return risk.steps.map((step) => `  ${cleanLine(step[locale])}`);
  return [`${labels.arguments[locale]}: ${argumentLines(input)}`];
}

function placeLines(risk: Risk, locale: Locale): readonly string[] {
  const { workingFolder } = risk;
  const folder = workingFolder === undefined ? [] : [`${labels.folder[locale]}: ${cleanLine(workingFolder)}`];
  return [...folder, ...variableLines(risk, locale)];
}

function variableLines(risk: Risk, locale: Locale): readonly string[] {
  if (risk.outside) return outsideLines(risk.outside, locale);
  const variables = variablesIn(risk);
  return variables === '' ? [] : [`${labels.variables[locale]}: ${cleanLine(variables)}`];
}

/** The parts that a yes to a command outside the sandbox covers, each on a line of its own, so that none is cut. */
function outsideLines({ reason, variables, files }: OutsideRun, locale: Locale): readonly string[] {
  const shown = Object.entries(variables).map(([name, value]) =>
    cleanLine(withoutSecrets(`${name}=${shellQuote(value)}`)),
  );
  const named = Object.entries(files).map(([name, digest]) => `  | ${cleanLine(name)} (${digest})`);
  return [
    `${labels.says[locale]}: ${cleanLine(JSON.stringify(reason))}`,
    ...(named.length > 0 ? [labels.files[locale], ...named] : []),
    labels.others[locale],
    `${labels.variables[locale]}:`,
    ...shown,
  ];
}

/** The reason, the rule, where the rule is written, and whether only a person answers. */
export function reasonLines(
  { because, answer, ...named }: Pick<PolicyVerdict, 'because' | 'rule' | 'writtenAt' | 'answer'>,
  locale: Locale,
): readonly string[] {
  const why = `${labels.because[locale]}: ${cleanLine(`${because[locale]} (${ruleName(named, locale)})`)}`;
  return [shortened(why), ...(answer === 'person' ? [labels.person[locale]] : [])];
}

/** The recent calls that a standing approval would have covered, and its meaning; the rule is the last line. */
export function grantLines(grant: string, covered: Covered | undefined, locale: Locale): readonly string[] {
  const would = covered && covered.calls > 0 ? [labels.covered(covered)[locale]] : [];
  return [...would, `${labels.always[locale]}: ${cleanLine(grant)}`].map(shortened);
}

/** The values that earlier commands left in the variables that this command names. */
function variablesIn({ command }: Risk): string {
  if (command?.line.kind !== 'script') return '';
  const named = new Set([...command.line.script.matchAll(/\$\{?[!#]?(\w+)/g)].map(([, name]) => name));
  return Object.entries(command.variables ?? {})
    .filter(([name]) => named.has(name))
    .map(([name, value]) => `${name}=${shellQuote(value)}`)
    .join(' ');
}

/** A part and its reason in one short line; a long part keeps its beginning and its end. */
export function headlineOf(part: string, reason: string, more = ''): string {
  return endOut(
    `${middleOut(cleanLine(part), riskyChars - more.length)}${more}: ${cleanLine(reason)}`,
    headlineChars,
  );
}

/** The risky part and the reason. */
function headline(
  tool: Tool,
  risk: Risk,
  { excerpt, others = 0, because }: PolicyVerdict,
  locale: Locale,
): string {
  const command = risk.command && shownLine(risk.command.line);
  const target = risk.writes?.[0] ?? risk.hosts?.[0] ?? '';
  const risky = excerpt || command || `${tool.name} ${target}`.trim();
  const more = others > 0 ? labels.more(others)[locale] : '';
  // The reason of a built-in rule repeats the part.
  const place = `\`${excerpt}\`: `;
  const reason = because[locale].startsWith(place) ? because[locale].slice(place.length) : because[locale];
  return headlineOf(risky, reason, more);
}

function middleOut(words: string, max: number): string {
  const characters = [...words];
  if (words.length <= max) return words;
  const tail = Math.floor(max / 3);
  return `${characters.slice(0, max - tail - 1).join('')}…${characters.slice(-tail).join('')}`.slice(0, max);
}

function endOut(words: string, max: number): string {
  return words.length <= max ? words : `${words.slice(0, max - 1)}…`.toWellFormed();
}

/** Arguments by name; texts keep their line breaks. */
function argumentLines(input: unknown): string {
  const fields = typeof input === 'object' && input !== null ? Object.entries(input) : [];
  const isLong = fields.some(([, value]) => typeof value === 'string' && value.includes('\n'));
  if (!isLong) return cleanLine(JSON.stringify(input));
  return fields
    .map(
      ([name, value]) =>
        `${name}: ${typeof value === 'string' ? continued(value) : cleanLine(JSON.stringify(value))}`,
    )
    .map((line) => `\n  | ${line}`)
    .join('');
}

/** Marks a command's further lines, so that none of them passes for one of ours. */
function continued(command: string): string {
  return cleanText(command).replaceAll('\n', '\n  | ');
}

/** Leaves out the middle, because the end of a long command often matters. */
function shortened(line: string): string {
  if (line.length <= maxChars) return line;
  const left = line.length - maxChars;
  return `${line.slice(0, maxChars - endChars)}\n  … (+${left}) …\n  | ${line.slice(-endChars)}`.toWellFormed();
}

const labels = {
  more: (count: number) => text(` (+${count} more)`, ` (ほか ${count} 件)`),
  wants: (who: string, tool: string) =>
    text(`${who} wants to call ${tool}.`, `${who} が ${tool} を呼び出そうとしています。`),
  command: text('Command', 'コマンド'),
  arguments: text('Arguments', '引数'),
  folder: text('Folder', 'フォルダー'),
  variables: text('Variables', '変数'),
  says: text('The agent says', 'エージェントによる理由'),
  files: text('Files (asked about again if one changes):', 'ファイル（変わると、もう一度確認します）:'),
  others: text(
    'Whatever else it reads or runs in the folders, the agent can change until then.',
    'ほかにフォルダーの中で読み込むものや実行するものは、それまでにエージェントが変更できます。',
  ),
  changes: text('Changes', '変更先'),
  hosts: text('Hosts', '接続先'),
  because: text('Why you are asked', '確認の理由'),
  person: text(
    'Only a person can answer this, and only for this call.',
    'この質問に回答できるのは人だけで、許可はこの呼び出しに限られます。',
  ),
  covered: ({ calls, of, among }: Covered) => {
    const which = cleanLine(among.map((call) => `\`${call}\``).join(', '));
    return text(
      `Allowing similar calls would have allowed ${counted(calls, 'call')} of the last ${of}, among them ${which}`,
      `同様の呼び出しをすべて許可していた場合、直近 ${of} 件のうち ${calls} 件が許可されていました（例: ${which}）`,
    );
  },
  always: text('Allowing similar calls would allow', '同様の呼び出しをすべて許可した場合に許可される範囲'),
} as const;
