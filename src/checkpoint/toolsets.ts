import type { Settings } from '../config/settings.ts';
import { type SingleTool, singleTools, type ToolsetName, toolsetNames } from '../config/toolset-names.ts';
import type { Call } from '../contract/call.ts';
import { joinSentences, type Text, text } from '../contract/text/text.ts';
import type { Tool, Toolset } from '../contract/tool/tool.ts';

/** Loads only the served toolsets and `help`, which comes with each. Adds the operator's own toolsets. */
export async function loadTools(settings: Settings, more: readonly Toolset[] = []): Promise<readonly Tool[]> {
  const loaded = await Promise.all(settings.toolsets.map((name) => loaders[name](settings)));
  const tools = [...loaded, ...more].flatMap((toolset) => toolset.tools);
  if (settings.only)
    return tools.filter((tool) => tool.name === singleTools[settings.only as SingleTool].tool);
  if (servesOngoing(settings)) {
    const { createOngoingToolset } = await import('../tools/ongoing/index.ts');
    tools.unshift(...createOngoingToolset().tools);
  }
  const { createHelpToolset } = await import('../tools/help/index.ts');
  return [...createHelpToolset().tools, ...tools];
}

/** Whether a call may outlast its request: if all tools are quick or return ids, the results' tool is not listed. */
function servesOngoing({ only, toolsets, servers }: Settings): boolean {
  return !only && (toolsets.includes('pipeline') || servers.some(({ enabled }) => enabled));
}

/** A person at a terminal and our own loop wait as long as necessary; protocol methods are quick. */
export function mayOutlast({ isMethod, arrival, tool }: Call, settings: Settings): boolean {
  const isClient = arrival.transport === 'stdio' || arrival.transport === 'http';
  return isClient && !isMethod && tool !== 'call_result' && servesOngoing(settings);
}

/** The toolset with a matching tool, served or not. Searches the served ones first. */
export async function toolsetThat(
  has: (tool: Tool) => boolean,
  settings: Settings,
): Promise<ToolsetName | undefined> {
  for (const name of new Set([...settings.toolsets, ...toolsetNames])) {
    const { tools } = await loaders[name](settings);
    if (tools.some(has)) return name;
  }
  return undefined;
}

const loaders: Readonly<Record<ToolsetName, (settings: Settings) => Promise<Toolset>>> = {
  'agent-cli': async (settings) =>
    (await import('../tools/agent-cli/index.ts')).createAgentCliToolset({
      ...settings.agentCli,
      outside: whyNotOutside(settings) ?? 'ask',
    }),
  assistant: async (settings) =>
    (await import('../tools/assistant/index.ts')).createAssistantToolset(settings.assistant),
  vault: async (settings) =>
    (await import('../tools/vault/index.ts')).createVaultToolset({ extras: settings.vault.extras ?? true }),
  pipeline: async (settings) =>
    (await import('../tools/pipeline/index.ts')).createPipelineToolset(settings.pipeline),
  collaboration: async () => (await import('../tools/collaboration/index.ts')).createCollaborationToolset(),
  plan: async () => (await import('../tools/plan/index.ts')).createPlanToolset(),
};

/** Why no command can be asked to run outside the sandbox, for a sentence that begins with the argument. */
function whyNotOutside({ mode, process: { outside, sandbox } }: Settings): Text | undefined {
  if (outside === 'never')
    return text('is not possible: process.outside is "never"', '使えません（process.outside が "never"）');
  if (sandbox === 'off')
    return text('is needless: process.sandbox is "off"', '不要です（process.sandbox が "off"）');
  return mode === 'read-only'
    ? text('is not possible: the mode is read-only', '使えません（モードが read-only）')
    : undefined;
}

/** The instructions at `initialize`, for the client's model. */
export function instructionsFor(settings: Settings): string {
  if (settings.only) return `One tool: ${singleTools[settings.only].tool}.`;
  const [root] = settings.roots;
  const below = settings.startedBelow;
  const general = instructions[settings.locale];
  if (below === undefined || !root) return general;
  return joinSentences(general, startsAt(root.path, below)[settings.locale]);
}

const startsAt = (root: string, below: string) =>
  text(
    `Relative paths start in ${root}, above the folder ${below} that you work in.`,
    `相対パスの起点は ${root} です（作業フォルダー ${below} の上位）。`,
  );

const instructions = text(
  'Every call is checked and recorded. `help` shows what you may call. When a call is refused, follow the suggestion in its reply.',
  'すべての呼び出しは審査され、記録されます。help が使えるツールを示します。拒否されたときは、返された提案に従ってください。',
);
