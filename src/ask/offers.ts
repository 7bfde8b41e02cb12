import { createHash } from 'node:crypto';
import type { Locale } from '../contract/text/text.ts';
import type { Tool } from '../contract/tool/tool.ts';
import { modelSchema } from '../ground/model-schema.ts';

/** The tools for a model, and the mapping from its names to ours. */
export type Offers = ReturnType<typeof createOffers>;

/** Servers accept names of 64 letters, digits, `_` and `-`; others are mapped to unused names. */
export function createOffers(tools: readonly Tool[], locale: Locale) {
  const names = new Map<string, string>();
  const taken = new Set(tools.map((tool) => tool.name));
  const list = tools.map((tool) => {
    const name = fitting.test(tool.name) ? tool.name : aliasOf(tool.name, taken);
    taken.add(name);
    names.set(name, tool.name);
    const { $schema: _, ...whole } = tool.inputSchema(locale);
    const schema =
      tool.server === undefined ? modelSchema(whole, locale, { closed: false, whole: false }) : whole;
    const description = tool.description[locale];
    return {
      name,
      description: tool.unavailable ? `${description} (${tool.unavailable[locale]})` : description,
      schema,
    };
  });
  return {
    list,
    /** Our name for the tool that the model called. An unknown one is unchanged, and the call is refused. */
    nameOf: (offered: string) => names.get(offered) ?? offered,
  };
}

const fitting = /^[\w-]{1,64}$/;

function aliasOf(name: string, taken: ReadonlySet<string>): string {
  const plain = name.replace(/[^\w-]/g, '_').slice(0, 55);
  for (let salt = 0; ; salt += 1) {
    const digest = createHash('sha256').update(`${salt} ${name}`).digest('hex').slice(0, 8);
    const alias = `${plain}_${digest}`;
    if (!taken.has(alias)) return alias;
  }
}
