import type { Gateway } from '../../contract/gateway.ts';
import type { Method } from '../exchange.ts';
import { replyFormOf } from '../reply-form.ts';
import type { ResultEncoder } from '../results.ts';
import { toolEntry } from '../results.ts';

/** Cached lists: one for each role, purpose, era and form in use. */
const maxKeptLists = 64;

/** `tools/list`. A list is encoded once per gateway key, locale, era and form. */
export function createListMethod(gateway: Gateway, encoder: ResultEncoder): Method {
  const kept = new Map<string, string>();
  return async ({ era, arrival }) => {
    const { key, tools } = await gateway.list(arrival);
    const form = replyFormOf(arrival);
    const keptAs = `${era} ${form.structured} ${form.defers === true} ${gateway.locale} ${key}`;
    const known = kept.get(keptAs);
    if (known !== undefined) return known;
    const entries = tools.map((tool) => toolEntry(tool, gateway.locale, era, form));
    const encoded = encoder.encode(
      era,
      era === 'modern' ? { tools: entries, ttlMs: 60_000, cacheScope: 'private' } : { tools: entries },
    );
    const [oldest] = kept.keys();
    if (kept.size >= maxKeptLists && oldest !== undefined) kept.delete(oldest);
    kept.set(keptAs, encoded);
    return encoded;
  };
}
