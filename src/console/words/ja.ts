import type { Words } from './en.ts';
import { frame } from './ja/frame.ts';
import { questions } from './ja/questions.ts';
import { records } from './ja/records.ts';

export const ja: Words = { ...frame, ...questions, ...records };
