import type { DecisionKind } from '../../contract/capabilities/judgement.ts';
import type { Mode, Risk } from '../../contract/policy.ts';
import { type Text, text } from '../../contract/text/text.ts';
import type { Tool } from '../../contract/tool/tool.ts';

/** A mode's own rule. */
export interface ModeRule {
  readonly id: string;
  readonly decision: DecisionKind;
  readonly because: Text;
  readonly suggestion: Text;
  fits(tool: Tool, risk: Risk): boolean;
}

/** The modes as sets of rules. */
export const modes: Readonly<Record<Mode, { readonly rules: readonly ModeRule[]; readonly asks: boolean }>> =
  {
    'read-only': {
      asks: true,
      rules: [
        {
          id: 'mode-read-only',
          decision: 'deny',
          because: text('the server is read-only', 'サーバーは読み取り専用です'),
          suggestion: text(
            'Use a tool that only reads, or ask the operator for `--mode workspace-write`.',
            '読み取りだけのツールを使うか、運用者に `--mode workspace-write` を依頼してください。',
          ),
          fits: (tool, risk) =>
            !tool.annotations.readOnly && (risk.command !== undefined || (risk.writes ?? []).length > 0),
        },
      ],
    },
    'workspace-write': { asks: true, rules: [] },
    /** Passes what the built-in rules would ask about; what they deny stays denied. */
    'full-access': { asks: false, rules: [] },
  };
