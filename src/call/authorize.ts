import { ToolError } from '../contract/error.ts';
import { type Text, text } from '../contract/text/text.ts';
import type { Tool } from '../contract/tool/tool.ts';
import { unknownTool } from '../ground/errors/unknown-tool.ts';
import type { Catalog } from './catalog.ts';
import { decide } from './decide.ts';
import type { Authorized, Identified } from './slips.ts';

/** Throws the refusal of `decide`, and `not_found` for an unknown name. */
export function authorize(identified: Identified, catalog: Catalog): Authorized {
  const { call, caller } = identified;
  const tool = catalog.find(call.tool);
  if (!tool || tool.unlisted !== Boolean(call.isMethod))
    throw unknownTool(call.tool, catalog.nearest(call.tool, caller), helpLists);
  const decision = decide(tool, caller, catalog.mode);
  if (!decision.allowed)
    throw new ToolError(decision.code, decision.message, {
      suggestion: decision.suggestion,
      ...(decision.scope !== undefined && { details: { required_scope: decision.scope } }),
    });
  if (tool.unavailable) throw new ToolError('unavailable', tool.unavailable, remedyOf(tool));
  return { ...identified, tool } as unknown as Authorized;
}

function remedyOf({ server }: Tool): Text {
  if (server === undefined)
    return text('`sekisho doctor` shows more.', '詳しくは `sekisho doctor` で確認できます。');
  return text(
    `It restarts automatically; try again in a while. \`sekisho server check ${server}\` says more.`,
    `自動で再起動します。しばらくしてから試してください。詳しくは \`sekisho server check ${server}\` で確認できます。`,
  );
}

const helpLists = text("'help' lists the tools.", "'help' で一覧を確認できます。");
