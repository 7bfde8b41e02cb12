import type * as z from 'zod';
import { type Text, text, verbatim } from './text.ts';

/** zod's finding as the rest of a sentence that begins with the value's name: "must be at least 1". */
export function describeIssue(issue: z.core.$ZodIssue): Text {
  switch (issue.code) {
    case 'invalid_type':
      return text(
        `must be ${issue.expected === 'int' ? 'an integer' : `of type ${issue.expected}`}`,
        `${issue.expected === 'int' ? '整数' : `${issue.expected} 型`}でなければなりません`,
      );
    case 'too_small':
      return text(
        `must be at least ${issue.minimum}${unit(issue.origin, issue.minimum).en}`,
        `${issue.minimum}${unit(issue.origin, issue.minimum).ja}以上でなければなりません`,
      );
    case 'too_big':
      return text(
        `must be at most ${issue.maximum}${unit(issue.origin, issue.maximum).en}`,
        `${issue.maximum}${unit(issue.origin, issue.maximum).ja}以下でなければなりません`,
      );
    case 'invalid_value':
      return text(
        `must be one of ${issue.values.map(String).join(', ')}`,
        `${issue.values.map(String).join('、')} のいずれかでなければなりません`,
      );
    default:
      // The message of a custom check is ours, from the tool's file.
      return issue.code === 'custom'
        ? text(issue.message, String(issue.params?.ja ?? issue.message))
        : text('is not valid', '正しくありません');
  }
}

/** Whether a number of seconds is evidently in milliseconds, as in other tools. */
export function looksLikeMilliseconds(value: unknown, mostSeconds: number): value is number {
  return typeof value === 'number' && value >= 1000 && value > mostSeconds;
}

/** The rest of a sentence that begins with the name of such a number. */
export function isInSeconds(milliseconds: number, mostSeconds: number): Text {
  const seconds = Math.min(Math.ceil(milliseconds / 1000), mostSeconds);
  const isAll = seconds * 1000 >= milliseconds;
  const how = isAll
    ? text(`for ${milliseconds} ms, give ${seconds}`, `${milliseconds} ミリ秒なら ${seconds} です`)
    : text(`${milliseconds} ms are more than that`, `${milliseconds} ミリ秒はそれより長い時間です`);
  return text(
    `is in seconds, at most ${mostSeconds} here; ${how.en}`,
    `秒単位で、ここでは ${mostSeconds} までです。${how.ja}`,
  );
}

function unit(origin: string, count: number | bigint): Text {
  const plural = Number(count) === 1 ? '' : 's';
  if (origin === 'string') return text(` character${plural} long`, ' 文字');
  if (origin === 'array') return text(` item${plural} long`, ' 件');
  return verbatim('');
}
