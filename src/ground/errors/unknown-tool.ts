import { ToolError } from '../../contract/error.ts';
import { type Text, text } from '../../contract/text/text.ts';

/** The error (`not_found`) for an unknown tool name. Suggests the nearest names, or `otherwise`. */
export function unknownTool(name: string, nearest: readonly string[], otherwise: Text): ToolError {
  const shown = JSON.stringify(name.slice(0, 80));
  return new ToolError('not_found', `There is no tool ${shown}.`, `${shown} というツールはありません。`, {
    suggestion:
      nearest.length > 0
        ? text(`Nearest: ${nearest.join(', ')}.`, `近い名前: ${nearest.join('、')}。`)
        : otherwise,
  });
}
