import { html } from 'hono/html';
import type { AuditEntry } from '../../contract/records.ts';
import { kindOf } from '../recent-calls.ts';
import { duration, line, time } from '../shown.ts';
import type { Html, View } from './view.ts';

/** One call as a line of a list. */
export function callRow(entry: AuditEntry, view: Pick<View, 'words' | 'locale' | 'dependencies'>): Html {
  const kind = kindOf(entry);
  return html`<li class="call ${kind}"><a href="/calls/${entry.seq}">
<span class="when">${time(entry.atMs, view)}</span><span class="tool">${line(entry.tool, 60)}</span>
<span class="given">${line(argumentsOf(entry), 160)}</span>
<span class="caller">${line(entry.principal, 40)}</span><span class="outcome">${outcomeOf(entry, view)}</span>
<span class="took">${duration(entry.durationMs)}</span></a></li>`;
}

export function callRows(entries: readonly AuditEntry[], view: View): Html {
  return html`${entries.map((entry) => callRow(entry, view))}`;
}

export function outcomeOf(entry: AuditEntry, { words }: Pick<View, 'words'>): string {
  return entry.code ?? words.calls.outcomes[entry.outcome];
}

/** The first words of them: a path or a command says more than the rest. */
function argumentsOf({ arguments: given }: AuditEntry): string {
  if (given === undefined || given === null) return '';
  if (typeof given !== 'object') return String(given);
  const values = Object.values(given);
  const first = values.find((value) => typeof value === 'string' && value !== '');
  if (typeof first === 'string') return first;
  return values.length === 0 ? '' : JSON.stringify(given);
}
