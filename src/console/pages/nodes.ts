import { html } from 'hono/html';
import type { NodeView } from '../../contract/nodes.ts';
import { line } from '../shown.ts';
import type { Html, View } from './view.ts';

/** The servers on these records, their load and version; no list for a single server. */
export function nodeList(nodes: readonly NodeView[], view: View): Html | '' {
  if (nodes.length < 2) return '';
  return html`<section aria-labelledby="nodes-title"><h2 id="nodes-title">${view.words.nodes.title}</h2>
<ul class="cards">${nodes.map((node) => card(node, view))}</ul></section>`;
}

function card({ state, seenAgoMs, ...node }: NodeView, view: View): Html {
  const say = view.words.nodes;
  const kind = state === 'serving' ? 'passed' : state === 'lost' ? 'refused' : 'asked';
  const how = state === 'lost' ? say.lost(Math.round(seenAgoMs / 1000)) : say.states[state];
  const memory = `${Math.round(node.residentBytes / 1024 / 1024)} MiB`;
  return html`<li class="card ${kind}"><h3>${line(`${node.host}:${node.pid}`)} <span class="outcome">${how}</span></h3>
<p>${line(node.address)} · ${line(node.version)} · ${say.calls(node.calls)} · CPU ${Math.round(node.load * 100)} % · ${memory}</p>
<p>${node.roots.map((root) => html`<code>${line(root)}</code> `)}</p></li>`;
}
