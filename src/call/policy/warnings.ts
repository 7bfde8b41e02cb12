import type { PolicyRule } from '../../contract/policy.ts';
import { type Text, text } from '../../contract/text/text.ts';
import type { Tool } from '../../contract/tool/tool.ts';
import { everyCommandTool, runsCommands, toolSelector } from './rule.ts';

/** A rule that covers less than its author may believe. */
export interface RuleWarning {
  readonly rule: string;
  readonly because: Text;
}

export interface WarningParts {
  readonly served: readonly Tool[];
  /** Names of proxied servers; their tools may not be known yet. */
  readonly servers: readonly string[];
  /** The toolset of a tool that is not served. */
  toolsetOf(fits: (tool: Tool) => boolean): Promise<string | undefined>;
}

/** Rules whose `tool` fits no served tool, or fits one tool for commands while others are served. */
export async function warningsOf(
  rules: readonly PolicyRule[],
  parts: WarningParts,
): Promise<readonly RuleWarning[]> {
  const warnings: RuleWarning[] = [];
  for (const [place, { id, tool }] of rules.entries()) {
    const because = tool === undefined ? undefined : await warningOf(tool, parts);
    if (because) warnings.push({ rule: id ?? `rules[${place}]`, because });
  }
  return warnings;
}

async function warningOf(pattern: string, parts: WarningParts): Promise<Text | undefined> {
  const fits = toolSelector(pattern);
  const fitting = parts.served.filter(fits);
  if (fitting.length > 0) return uncovered(fitting, parts.served);
  const server = parts.servers.find((name) => pattern.startsWith(`${name}__`));
  if (server !== undefined && !parts.served.some((tool) => tool.server === server)) return undefined;
  const shown = JSON.stringify(pattern);
  const toolset = await parts.toolsetOf(fits);
  if (toolset !== undefined)
    return text(
      `it applies to no tool that is served: ${shown} belongs to the toolset ${toolset}.`,
      `提供中のツールには当てはまりません。${shown} は toolset ${toolset} のものです。`,
    );
  return text(
    `it has no effect: there is no tool ${shown}. \`sekisho tools\` lists them.`,
    `何にも当てはまりません。${shown} というツールはありません。\`sekisho tools\` で一覧を表示できます。`,
  );
}

/** A rule that forbids something to one tool for commands is often meant for all of them. */
function uncovered(fitting: readonly Tool[], served: readonly Tool[]): Text | undefined {
  if (!fitting.every(runsCommands)) return undefined;
  const others = served
    .filter((tool) => runsCommands(tool) && !fitting.includes(tool))
    .map(({ name }) => name);
  if (others.length === 0) return undefined;
  const names = fitting.map(({ name }) => name).join(', ');
  return text(
    `it applies to ${names} and not to ${others.join(', ')}; "tool": "${everyCommandTool}" means all tools that run commands.`,
    `${names} だけに当てはまり、${others.join('、')} には当てはまりません。コマンドを実行するすべてのツールは "tool": "${everyCommandTool}" です。`,
  );
}
