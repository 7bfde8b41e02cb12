import { jsonOf } from '../../ground/or-else.ts';
import { chunkOf, problemOf } from './chunk.ts';

/**
 * Unifies the replies of servers that claim compatibility: converts each event for the AI SDK, turns a complete reply
 * into a stream of one event, and adds an end if there is only `[DONE]`.
 */
export function createTolerantFetch(plain: typeof fetch): typeof fetch {
  const history = createHistoryForm();
  return async (url, init) => {
    const send = () =>
      plain(url, typeof init?.body === 'string' ? { ...init, body: history.shape(init.body) } : init);
    let response = await send();
    while (!response.ok) {
      const refused = await refusal(response);
      if (response.status >= 500 || !history.learn(refused.said)) return refused.response;
      response = await send();
    }
    if (!response.body) return response;
    const type = response.headers.get('content-type') ?? '';
    const headers = { 'content-type': 'text/event-stream' };
    if (/\bjson\b/i.test(type) && !/event-stream|ndjson/i.test(type)) {
      const events = whole(await response.text());
      return new Response(events, { status: response.status, headers });
    }
    if (/\bhtml\b/i.test(type)) {
      await response.body.cancel();
      return new Response(eventOf({ error: { message: `a web page (${type})` } }), { headers });
    }
    const events = response.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new TransformStream<string, string>(lineByLine()))
      .pipeThrough(new TextEncoderStream());
    return new Response(events, { status: response.status, headers });
  };
}

/** A server's text with an error status, in the one format that the AI SDK knows. */
async function refusal(response: Response): Promise<{ readonly said: string; readonly response: Response }> {
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  for (const name of ['content-length', 'content-encoding', 'content-type']) headers.delete(name);
  const body = await response.text();
  const isPage = /^\s*</.test(body);
  const said = isPage ? `${statusText} (a web page)` : (problemOf(jsonOf(body)) ?? body.slice(0, 1000));
  const message = said.trim() === '' ? statusText : said;
  return {
    said: message,
    response: new Response(JSON.stringify({ error: { message } }), { status, statusText, headers }),
  };
}

function whole(words: string): string {
  const sent = jsonOf(words);
  return sent === undefined
    ? `data: ${words.replace(/[\r\n]/g, ' ')}\n\n`
    : eventOf(chunkOf(sent, () => undefined));
}

/** Processes each line when it is complete. Lines other than `data` are dropped: comments, names and ids of events. */
function lineByLine() {
  let rest = '';
  let hasFinished = false;
  let hasBegun = false;
  let unread: string | undefined;
  const calls = new Map<string, number>();

  /** Deltas of one call may share only its id. */
  function indexOf(id: string): number {
    const index = calls.get(id) ?? calls.size;
    calls.set(id, index);
    return index;
  }

  function take(line: string, controller: TransformStreamDefaultController<string>): void {
    const data = /^(?:data:)?\s*(.*)$/s.exec(line)?.[1]?.trim() ?? '';
    if (data === '[DONE]') {
      tellUnread(controller);
      if (!hasFinished) controller.enqueue(eventOf({ choices: [{ finish_reason: 'stop' }] }));
      hasFinished = true;
      return;
    }
    // Some proxies report failures as lines of JSON without `data:`.
    if (!line.startsWith('data:') && !data.startsWith('{')) return;
    if (data === '') return;
    const sent = jsonOf(data);
    // A truncated chunk is an error; other text among chunks is not, and is reported only if nothing else came.
    if (sent === undefined) {
      if (/^[[{]/.test(data)) controller.enqueue(`data: ${data}\n\n`);
      else unread ??= data;
      return;
    }
    hasBegun = true;
    const chunk = chunkOf(sent, indexOf);
    hasFinished ||= JSON.stringify(chunk).includes('"finish_reason"');
    controller.enqueue(eventOf(chunk));
  }

  function tellUnread(controller: TransformStreamDefaultController<string>): void {
    if (unread !== undefined && !hasBegun) controller.enqueue(`data: ${unread}\n\n`);
    unread = undefined;
  }

  return {
    transform(words: string, controller: TransformStreamDefaultController<string>) {
      // An incomplete line is buffered, not searched again with each piece.
      if (!/[\r\n]/.test(words)) {
        rest += words;
        return;
      }
      const lines = (rest + words).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      for (const line of lines) take(line, controller);
    },
    flush(controller: TransformStreamDefaultController<string>) {
      if (rest !== '') take(rest, controller);
      tellUnread(controller);
    },
  };
}

function eventOf(chunk: unknown): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The form of earlier answers that a server accepts. Some refuse `content: null`, which the AI SDK writes beside calls.
 * Some refuse an answer without `reasoning_content`, others one with it; the refusal shows which.
 */
function createHistoryForm() {
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
