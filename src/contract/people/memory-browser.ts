import type { Memory } from '../capabilities/memory.ts';

/** Memories for a person to browse. It shows every principal's, so no tool may get it. */
export interface MemoryBrowser {
  /** Principals that have memories. */
  owners(limit: number): Promise<readonly { readonly owner: string; readonly memories: number }[]>;
  /** Newest first; `next` is where the next page begins. */
  page(
    owner: string,
    options: { readonly before?: number | undefined; readonly limit: number },
  ): Promise<{ readonly memories: readonly Memory[]; readonly next?: number | undefined }>;
  get(owner: string, id: string): Promise<Memory | undefined>;
}
