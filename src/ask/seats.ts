import { ToolError } from '../contract/error.ts';
import { text } from '../contract/text/text.ts';

/** Limits concurrent questions, in total and per person. `enter` returns how to leave; it throws when full. */
export function createSeats({ max, maxEach }: { readonly max: number; readonly maxEach: number }) {
  const inside = new Map<string, number>();
  let all = 0;
  return {
    enter(principal: string): () => void {
      const own = inside.get(principal) ?? 0;
      if (own >= maxEach) throw tooManyOwn(maxEach);
      if (all >= max) throw full();
      inside.set(principal, own + 1);
      all += 1;
      return () => {
        const left = (inside.get(principal) ?? 1) - 1;
        if (left === 0) inside.delete(principal);
        else inside.set(principal, left);
        all -= 1;
      };
    },
  };
}

function tooManyOwn(maxEach: number): ToolError {
  return new ToolError(
    'rate_limited',
    text(`${maxEach} of your questions are being answered.`, `あなたの質問 ${maxEach} 件に回答中です。`),
    {
      suggestion: text(
        'Send the next one when an answer is complete.',
        '1 件終わってから次を送ってください。',
      ),
      details: { retry_after_ms: 5000 },
    },
  );
}

function full(): ToolError {
  return new ToolError('unavailable', text('Too many questions at once.', '同時の質問が多すぎます。'), {
    suggestion: text('Try again in a few seconds.', '数秒後にもう一度試してください。'),
    details: { retry_after_ms: 5000 },
  });
}
