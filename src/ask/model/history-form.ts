type Fields = Readonly<Record<string, unknown>>;

/**
 * The form of earlier answers that a server accepts. Some refuse `content: null`, which the AI SDK writes beside calls.
 * Some refuse an answer without `reasoning_content`, others one with it; the refusal shows which.
 */
export function createHistoryForm() {
  let thoughts: 'as they were' | 'always' | 'never' = 'as they were';

  function shapeAnswer({ reasoning_content: thought, ...message }: Fields): Fields {
    return {
      ...message,
      content: message.content ?? '',
      ...(thoughts !== 'never' && thought !== undefined && { reasoning_content: thought }),
      ...(thoughts === 'always' && thought === undefined && { reasoning_content: '' }),
    };
  }

  return {
    shape(body: string): string {
      const request = JSON.parse(body) as Fields;
      if (!Array.isArray(request.messages)) return body;
      const messages = (request.messages as readonly Fields[]).map((message) =>
        message.role === 'assistant' ? shapeAnswer(message) : message,
      );
      return JSON.stringify({ ...request, messages });
    },

    /** Whether there is another form to try after this refusal. */
    learn(said: string): boolean {
      if (thoughts !== 'as they were' || !/reasoning[ _]content/i.test(said)) return false;
      const isUnwanted =
        /extra|unknown|unrecogni[sz]ed|unexpected|additional|not (permitted|allowed|supported)/i;
      thoughts = isUnwanted.test(said) ? 'never' : 'always';
      return true;
    },
  };
}
