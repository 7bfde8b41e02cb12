import type { Settings } from '../../config/load.ts';
import type { Locale } from '../../contract/text/text.ts';

/** How often callers may call, a line for each rule that fits something served. */
export function limitLines({ rateRules, toolsets, locale }: Settings): readonly string[] {
  const { perMinute, everyone, remote } = words[locale];
  const served = new Set<string>(toolsets);
  const inForce = rateRules.filter((rule) => rule.toolsets?.some((name) => served.has(name)) ?? true);
  return inForce.map((rule) =>
    [perMinute(rule.perMinute, rule.toolsets), rule.appliesTo === 'remote' ? remote : everyone].join(' '),
  );
}

const words = {
  en: {
    perMinute: (count: number, toolsets: readonly string[] | undefined) =>
      `${count} calls a minute${toolsets ? ` to ${toolsets.join(', ')}` : ''}`,
    remote: 'for each token over HTTP but the one of this machine',
    everyone: 'for each caller',
  },
  ja: {
    perMinute: (count: number, toolsets: readonly string[] | undefined) =>
      `${toolsets ? `${toolsets.join('、')} は` : ''}1 分あたり ${count} 回`,
    remote: '（HTTP のトークンごと。このマシンのトークンは除く）',
    everyone: '（呼び出し元ごと）',
  },
} as const satisfies Record<Locale, unknown>;
