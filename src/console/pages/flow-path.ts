import { html } from 'hono/html';
import type { FlowPath } from '../../contract/flow.ts';
import { count, line } from '../shown.ts';
import type { Html, View } from './view.ts';

/** The source that was read, the value in it, and the call that sends it: one line each. */
export function flowPaths(paths: readonly FlowPath[], sink: string, view: View): Html {
  if (paths.length === 0) return html``;
  return html`<ul class="flow" aria-label="${view.words.flow.label}">${paths.map(
    (path) =>
      html`<li><span>${sourceOf(path, view)}</span> → <code>${line(path.value, 80)}</code> → <span>${line(sink, 60)} <span class="quiet">${line(path.argument, 40)}</span></span></li>`,
  )}</ul>`;
}

function sourceOf({ why, from }: FlowPath, { words, locale }: View): string {
  const say = words.flow;
  if (why === 'nowhere') return say.nowhere;
  if (!from) return say.earlier;
  const place = line(from.place === '' ? from.tool : `${from.place} (${from.tool})`, 100);
  if (why === 'secret') return say.secret(place);
  return (why === 'assembled' ? say.assembled : say.read)(place, count(from.line, locale));
}
