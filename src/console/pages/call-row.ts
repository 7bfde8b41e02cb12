import { html } from 'hono/html';
import type { AuditEntry } from '../../contract/records.ts';
import { kindOf, subjectOf } from '../recent-calls.ts';
import { duration, line, named, time, who } from '../shown.ts';
import type { Html, View } from './view.ts';

/** One call as a row of a list, which is ordered by end time. */
export function callRow(entry: AuditEntry, view: Pick<View, 'words' | 'locale' | 'dependencies'>): Html {
  const kind = kindOf(entry);
  return html`<li class="call ${kind}"><a href="/calls/${entry.seq}">
<span class="when">${time(entry.atMs + entry.durationMs, view)}</span><span class="tool">${line(entry.tool, 60)}</span>
<span class="given">${line(subjectOf(entry), 160)}</span>
<span class="caller">${line(clientName(entry) ?? '', 40) || who(entry.principal, view)}</span><span class="outcome">${outcomeOf(entry, view)}</span>
<span class="took">${duration(entry.durationMs)}</span></a></li>`;
}

export function callRows(entries: readonly AuditEntry[], view: View): Html {
  return html`${entries.map((entry) => callRow(entry, view))}`;
}

export function outcomeOf({ code, outcome }: AuditEntry, { words }: Pick<View, 'words'>): Html {
  return code === undefined ? named(outcome, words.calls.outcomes) : named(code, words.codes);
}

/** The name without its version. */
function clientName({ client }: AuditEntry): string | undefined {
  return client?.replace(/ \S+$/, '');
}
