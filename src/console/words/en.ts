import { frame } from './en/frame.ts';
import { questions } from './en/questions.ts';
import { records } from './en/records.ts';

/** All texts of the console in English; the Japanese has the same keys. */
export const en = { ...frame, ...questions, ...records };

export type Words = typeof en;
