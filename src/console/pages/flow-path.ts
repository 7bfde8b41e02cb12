import { html } from 'hono/html';
import type { FlowPath } from '../../contract/flow.ts';
import { count, line } from '../shown.ts';
import type { Html, View } from './view.ts';

/** The source that was read, the value in it, and the call that sends it: one line each. */
export function flowPaths(paths: readonly FlowPath[], sink: string, view: View): Html {
  if (paths.length === 0) return html``;
  return html`<ul class="flow" aria-label="${view.say('Where what it sends comes from', '送信内容の由来')}">${paths.map(
    (path) =>
      html`<li><span>${sourceOf(path, view)}</span> → <code>${line(path.value, 80)}</code> → <span>${line(sink, 60)} <span class="quiet">${line(path.argument, 40)}</span></span></li>`,
  )}</ul>`;
}

function sourceOf({ why, from }: FlowPath, { say, locale }: View): string {
  if (why === 'nowhere') return say('nothing that was read', '読んだもののどこにも現れない');
  if (!from) return say('something read earlier', '以前に読んだもの');
  const place = line(from.place === '' ? from.tool : `${from.place} (${from.tool})`, 100);
  if (why === 'secret')
    return say(`a credential was read before: ${place}`, `その前に読んだ認証情報: ${place}`);
  const at = count(from.line, locale);
  return why === 'assembled'
    ? say(`parts of line ${at} of ${place}`, `${place} の ${at} 行目の一部`)
    : say(`line ${at} of ${place}`, `${place} の ${at} 行目`);
}
