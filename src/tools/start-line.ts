import * as z from 'zod';
import { inputRule } from '../contract/tool/input-rule.ts';

/** The first line that a tool reads of a file: from 1, or from -1 at the end. */
export const startLineInput = z
  .int()
  .refine(
    (line) => line !== 0,
    inputRule(
      'must not be 0: lines count from 1, or from -1 at the end',
      '0 にはできません。行は 1 から、末尾からは -1 で数えます',
    ),
  )
  .optional()
  .describe('e.g. 200; -50: the last 50.');
