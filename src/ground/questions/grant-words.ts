import { type Text, text } from '../../contract/text/text.ts';
import { orElse } from '../or-else.ts';
import { rulesOfGrant } from './grant-rules.ts';

/** A description of what a grant allows, to show before the rule itself. Not cleaned. */
export function grantWords(grant: string): Text {
  const parts = rulesOfGrant(grant).map(ruleWords);
  return text(parts.map(({ en }) => en).join(' '), parts.map(({ ja }) => ja).join(''));
}

function ruleWords(rule: string): Text {
  const {
    tool,
    command,
    effect,
    definition: _d,
    decision: _a,
    folder: _f,
    session: _s,
    until: _u,
    ...more
  } = orElse(() => Object(JSON.parse(rule)), { tool: rule });
  const about = Object.values(more).flat().map(String).join(', ');
  if (!Array.isArray(command))
    return about === ''
      ? text(`Every call of ${tool}.`, `${tool} のすべての呼び出し。`)
      : text(`${tool} with ${about}.`, `${tool}（${about}）。`);
  const isScript = command[1] === '-c' && command.length === 3;
  const line = isScript ? command[2] : command.join(' ');
  if (effect !== undefined)
    return text(`Whatever exactly \`${line}\` does.`, `\`${line}\` とまったく同じコマンドの実行結果。`);
  return isScript
    ? text(`Exactly \`${line}\`.`, `\`${line}\` とまったく同じコマンド。`)
    : text(`Commands such as \`${line}\`.`, `\`${line}\` のようなコマンド。`);
}
