import type { Memory } from './capabilities/memory.ts';

/** Memories as a person leafs through them. Whoever holds this may see everybody's: it is lent to no tool. */
export interface MemoryBrowser {
  /** Those who have memories. */
  owners(limit: number): Promise<readonly { readonly owner: string; readonly memories: number }[]>;
  /** Newest first; `next` goes on. */
  page(
    owner: string,
    options: { readonly before?: number | undefined; readonly limit: number },
  ): Promise<{ readonly memories: readonly Memory[]; readonly next?: number | undefined }>;
  get(owner: string, id: string): Promise<Memory | undefined>;
}
