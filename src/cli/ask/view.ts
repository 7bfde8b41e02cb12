import type { Writable } from 'node:stream';
import { type AskEvent, encodeEvent } from '../../ask/model/events.ts';
import { cleanChunk, cleanLine, cleanText } from '../../contract/text/clean-text.ts';
import { type Locale, text } from '../../contract/text/text.ts';
import { counted } from '../../ground/counted.ts';

/** The display of events. */
export interface View {
  show(event: AskEvent): void;
}

/** JSON Lines on the output, for programs; the model's thoughts only on request. */
export function createEventView(output: Writable, withReasoning: boolean): View {
  return {
    show(event) {
      if (event.type !== 'reasoning' || withReasoning) output.write(`${encodeEvent(event)}\n`);
    },
  };
}

/**
 * For a person: the model's words on the output as they come, everything else on separate lines. All text of models and
 * tools is cleaned, so that no escape sequence reaches the terminal.
 */
export function createTextView(
  output: Writable,
  beside: Writable,
  locale: Locale,
  withReasoning: boolean,
): View {
  let rest = '';
  let atLineStart = true;
  const thoughts = { rest: '', isOpen: false };

  function write(words: string): void {
    if (words === '') return;
    output.write(words);
    atLineStart = words.endsWith('\n');
  }

  function endText(): void {
    write(cleanText(rest));
    rest = '';
    if (!atLineStart) write('\n');
  }

  /** Thoughts go to the other stream, so that a pipe gets only the answer. */
  function think(words: string): void {
    endText();
    const cleaned = cleanChunk(thoughts.rest + words);
    thoughts.rest = cleaned.rest;
    thoughts.isOpen = true;
    beside.write(cleaned.text);
  }

  function endThoughts(): void {
    if (thoughts.isOpen) beside.write(`${cleanText(thoughts.rest)}\n`);
    thoughts.rest = '';
    thoughts.isOpen = false;
  }

  function note(words: string): void {
    endText();
    beside.write(`${words}\n`);
  }

  return {
    show(event) {
      if (event.type !== 'reasoning') endThoughts();
      switch (event.type) {
        case 'reasoning':
          if (withReasoning) think(event.text);
          return;
        case 'text': {
          const cleaned = cleanChunk(rest + event.text);
          rest = cleaned.rest;
          write(cleaned.text);
          return;
        }
        case 'start':
          note(`# ${cleanLine(event.model)}${event.session === undefined ? '' : ` · ${event.session}`}`);
          return;
        case 'retry':
          note(`↻ ${event.attempt}: ${event.wait_ms / 1000} s · ${cleanLine(event.reason)}`);
          return;
        case 'shortened':
          note(`# ${shortened(event, locale)}`);
          return;
        case 'call':
          note(`→ ${short(event.tool, 80)} ${short(JSON.stringify(event.arguments), 200)}`);
          return;
        case 'progress':
          note(`… ${short(event.message, 200)}`);
          return;
        case 'result':
          note(
            `${event.ok ? '✓' : '✗'} ${short(event.tool, 80)} ${event.duration_ms} ms: ${short(event.text, 160)}`,
          );
          return;
        case 'error':
          note(event.code === 'cancelled' ? event.message : `${event.code}: ${cleanLine(event.message)}`);
          return;
        case 'end':
          endText();
          return;
        default:
      }
    },
  };
}

function shortened(event: Extract<AskEvent, { type: 'shortened' }>, locale: Locale): string {
  const { left_out_messages: messages, shortened_results: results } = event;
  return text(
    `The conversation is long: left out ${counted(messages, 'older message')}, shortened ${counted(results, 'result')}.`,
    `会話が長いため、古いメッセージ ${messages} 件を省き、結果 ${results} 件を短くしました。`,
  )[locale];
}

function short(words: string, maxChars: number): string {
  const line = cleanLine(words.slice(0, maxChars * 4));
  return line.length <= maxChars ? line : `${line.slice(0, maxChars).replace(/[\ud800-\udbff]$/, '')}…`;
}
