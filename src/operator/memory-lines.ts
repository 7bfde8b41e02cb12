import * as z from 'zod';
import type { Memories } from '../contract/capabilities/memory.ts';
import { ToolError } from '../contract/error.ts';
import { text } from '../contract/text/text.ts';

/** All memories as JSON Lines, oldest first; each string is one line including its end. */
export async function* exportMemories(memories: Memories): AsyncIterable<string> {
  for await (const { content, category, tags, createdAtMs } of memories.all()) {
    yield `${JSON.stringify({ content, category, tags, created_at: new Date(createdAtMs).toISOString() })}\n`;
  }
}

/**
 * Stores the output of `exportMemories` line by line; existing memories are only counted. An invalid line ends it with
 * `invalid_parameter` and the line's number: earlier lines are stored, and the corrected file can be imported again.
 */
export async function importMemories(
  memories: Memories,
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<{ readonly stored: number; readonly duplicates: number }> {
  let number = 0;
  let stored = 0;
  let duplicates = 0;
  for await (const line of lines) {
    number += 1;
    if (line.trim() === '') continue;
    const { created_at: createdAt, ...memory } = memoryIn(line, number);
    const { duplicate } = await memories.remember({
      ...memory,
      createdAtMs: createdAt === undefined ? undefined : Date.parse(createdAt),
    });
    if (duplicate) duplicates += 1;
    else stored += 1;
  }
  return { stored, duplicates };
}

function memoryIn(line: string, number: number): z.output<typeof memoryLine> {
  let found: unknown;
  try {
    found = JSON.parse(line.slice(0, lineChars + 1));
  } catch (error) {
    throw badLine(number, error);
  }
  const parsed = memoryLine.safeParse(found);
  if (!parsed.success) throw badLine(number, parsed.error);
  return parsed.data;
}

function badLine(number: number, cause: unknown): ToolError {
  return new ToolError(
    'invalid_parameter',
    `Line ${number} is not a memory.`,
    `${number} 行目はメモリではありません。`,
    {
      suggestion: text(
        'A line is {"content": "…", "category": "…", "tags": ["…"], "created_at": "2026-02-01T00:00:00Z"}; only content is required.',
        '1 行は {"content": "…", "category": "…", "tags": ["…"], "created_at": "2026-02-01T00:00:00Z"} です。必須は content だけです。',
      ),
      details: { line: number },
      cause,
    },
  );
}

const label = z.string().max(100).regex(/\S/);
const memoryLine = z.object({
  content: z.string().max(8000).regex(/\S/),
  category: label.default('general'),
  tags: z.array(label).max(20).default([]),
  created_at: z.iso.datetime({ offset: true }).optional(),
});
const lineChars = 100_000;
