import { createHash } from 'node:crypto';
import type { Locale } from '../contract/text.ts';
import type { Tool } from '../contract/tool.ts';
import type { ToolOffer } from './model.ts';

/** The tools as a model is told of them, and the way back from its names to ours. */
export interface Offers {
  readonly list: readonly ToolOffer[];
  /** Our name for what the model called. One that was never offered stays as it is, and the road refuses it. */
  nameOf(offered: string): string;
}

/** Servers take names of 64 letters, digits, `_` and `-`; others are mapped, never split. */
export function createOffers(tools: readonly Tool[], locale: Locale): Offers {
  const names = new Map<string, string>();
  const list = tools.map((tool) => {
    const plain = tool.name.replace(/[^\w-]/g, '_').slice(0, 64);
    const name =
      plain === tool.name && !names.has(plain) ? plain : `${plain.slice(0, 55)}_${digest(tool.name)}`;
    names.set(name, tool.name);
    const { $schema: _, ...schema } = tool.inputSchema(locale);
    const description = tool.description[locale];
    return {
      name,
      description: tool.unavailable ? `${description} (${tool.unavailable[locale]})` : description,
      schema,
    };
  });
  return { list, nameOf: (offered) => names.get(offered) ?? offered };
}

function digest(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 8);
}
