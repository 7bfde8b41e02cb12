import type { Settings } from '../../config/settings.ts';
import { text } from '../../contract/text/text.ts';
import { counted } from '../../ground/counted.ts';

/** The rate limits, one line for each rule that applies to something served. */
export function limitLines({ rateRules, toolsets, locale }: Settings): readonly string[] {
  const served = new Set<string>(toolsets);
  const inForce = rateRules.filter((rule) => rule.toolsets?.some((name) => served.has(name)) ?? true);
  return inForce.map((rule) => {
    const [often, who] = [words.perMinute(rule.perMinute, rule.toolsets), words[rule.appliesTo]];
    return text(`${often.en} ${who.en}`, `${often.ja}${who.ja}`)[locale];
  });
}

const words = {
  perMinute: (count: number, toolsets: readonly string[] | undefined) =>
    text(
      `${counted(count, 'call')} a minute${toolsets ? ` to ${toolsets.join(', ')}` : ''}`,
      `${toolsets ? `${toolsets.join('、')} は` : ''}1 分あたり ${count} 回`,
    ),
  remote: text(
    'for each token over HTTP except that of this machine',
    '（HTTP のトークンごと。このマシンのトークンは除く）',
  ),
  everyone: text('for each caller', '（呼び出し元ごと）'),
} as const;
