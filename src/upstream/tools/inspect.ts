import { cleanText } from '../../contract/text/clean-text.ts';
import { type Injection, injectionsIn } from '../../ground/content/injections.ts';
import type { RemoteTool } from './definition.ts';

/** Findings that a person should review before a model reads this tool's texts; empty if there are none. */
export function inspectTool(tool: RemoteTool): readonly string[] {
  const schemas = [tool.inputSchema, tool.outputSchema, tool.annotations];
  return [...inspectWords(wordsOf(tool)), ...new Set(schemas.flatMap((schema) => inspectSchema(schema)))];
}

/** Deeper text is not inspected, so a schema that has some is a finding. */
const maxDepth = 32;

function inspectSchema(value: unknown, depth = 0): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (depth > maxDepth) return ['nested too deeply to be looked at'];
  return Object.entries(value).flatMap(([key, member]) => {
    const isReference = (key === '$ref' || key === '$dynamicRef') && typeof member === 'string';
    // A client that resolves it would request an address of the server's choice.
    const far = isReference && !member.startsWith('#') ? ['refers to a schema elsewhere'] : [];
    return [...far, ...inspectSchema(member, depth + 1)];
  });
}

/** Findings only in the joined text of a server's tools: a payload can be spread over several (`inspected`). */
export function inspectSet(inspected: ReadonlyMap<RemoteTool, readonly string[]>): readonly string[] {
  const tools = [...inspected.keys()];
  const alone = new Set([...inspected.values()].flat());
  const joined = [
    ...inspectWords(tools.flatMap(wordsOf)),
    // Without separators, as a model reads one description after another.
    ...inspectWords(tools.map((tool) => tool.description ?? '')),
  ];
  return [...new Set(joined)].filter((finding) => !alone.has(finding));
}

function inspectWords(words: readonly string[]): readonly string[] {
  const findings: string[] = [];
  if (words.some((each) => cleanText(each) !== each.replace(/\r\n/g, '\n')))
    findings.push('hidden characters');
  // Normalized, so that line breaks or full-width letters between words hide nothing.
  const folded = words.join(' ').normalize('NFKC').replace(/\s+/g, ' ');
  for (const [finding, pattern] of patterns) if (pattern.test(folded)) findings.push(finding);
  return [...findings, ...injectionsIn(words.join(' ')).flatMap((kind) => said[kind] ?? [])];
}

/** Instructions as in results, too. A description may name a tool to call next, but not what to send where. */
const said: Readonly<Partial<Record<Injection, string>>> = {
  override: 'tells the model to forget its instructions',
  role: 'marks words for the model alone',
  power: 'gives the model rights',
  send: 'has the model send something somewhere',
  prompt: 'asks for the instructions of the model',
  run: 'has the model run a command',
};

/**
 * Text that addresses the model behind the person's back. Few and specific patterns, because each match waits for a
 * person's review. Each is linear: no repetition inside another.
 */
const patterns: readonly (readonly [finding: string, pattern: RegExp])[] = [
  [
    'asks to keep something from the person',
    /\b(?:do not|don't|never|without)\b.{0,20}\b(?:tell|mention|inform|notify|reveal|show|telling|mentioning|informing|notifying)\b.{0,30}\b(?:user|person|human|anyone)\b/i,
  ],
  [
    'asks for secrets of the machine',
    /(?:\.ssh\/|\bid_rsa\b|\bid_ed25519\b|\.aws\/credentials|\/etc\/shadow|\bmcp\.json\b)/i,
  ],
  [
    'gives orders about other tools',
    /\b(?:before|instead of|after|when(?:ever)?)\b.{0,20}\b(?:using|calling|running|you (?:use|call|run))\b.{0,10}\b(?:any|every|all|another|other) (?:other )?tools?\b/i,
  ],
  [
    'takes the place of another tool',
    /\b(?:prefer|always use|preferred)\b.{0,20}\b(?:this )?tool\b.{0,40}\b(?:instead of|for all|for every|over)\b|\binstead of the (?:built-in|default|other|original)\b|\bsupersedes\b.{0,30}\b(?:tool|default)/i,
  ],
  [
    'puts itself before another tool',
    /\bwhen(?:ever)? the user (?:asks|wants)\b.{0,60}\btool\b.{0,20}\bfirst (?:call|use|run)\b|\bfirst (?:call|use|run) (?:this|the \w{2,30}) tool\b/i,
  ],
  [
    '日本語の隠れた指示',
    /(?:(?:以前|これまで|上記|先)の(?:指示|命令)を(?:無視|忘れ)|(?:ユーザー|利用者)に(?:は|も)?(?:知らせ|伝え|言わ|見せ)(?:ないで|ずに|るな))/,
  ],
];

/** Every string of a definition that a model would see: texts, names, defaults, enums. */
function wordsOf(tool: RemoteTool): readonly string[] {
  const words: string[] = [tool.name, tool.title ?? '', tool.description ?? ''];
  collect([tool.inputSchema, tool.outputSchema, tool.annotations], words, 0);
  return words;
}

function collect(value: unknown, words: string[], depth: number): void {
  if (typeof value === 'string') words.push(value);
  if (typeof value !== 'object' || value === null || depth > maxDepth) return;
  for (const [key, member] of Object.entries(value)) {
    if (!Array.isArray(value)) words.push(key);
    collect(member, words, depth + 1);
  }
}
