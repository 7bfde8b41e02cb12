type Fields = Readonly<Record<string, unknown>>;

/**
 * How a server wants what the model said earlier. Some refuse an answer whose `content` is null, as the AI SDK writes it
 * beside calls. Some refuse an answer without `reasoning_content`, others one with it: each is found out by its refusal.
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

    /** Is there another form to try after this refusal? */
    learn(said: string): boolean {
      if (thoughts !== 'as they were' || !/reasoning[ _]content/i.test(said)) return false;
      const isUnwanted =
        /extra|unknown|unrecogni[sz]ed|unexpected|additional|not (permitted|allowed|supported)/i;
      thoughts = isUnwanted.test(said) ? 'never' : 'always';
      return true;
    },
  };
}
