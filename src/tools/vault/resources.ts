import type { Place } from '../../contract/capabilities/files.ts';
import type { Vault } from '../../contract/capabilities/vault.ts';
import { ToolError } from '../../contract/error.ts';
import type { ResourceGateway } from '../../contract/gateway.ts';
import { text } from '../../contract/text/text.ts';
import { badCursor } from './cursor.ts';
import { noteAt, onNote } from './rules.ts';
import { walkNotes } from './walk-notes.ts';

const pageNotes = 200;
/** A resource is delivered whole; longer notes are for `vault_scan`. */
const maxChars = 1_000_000;
const prefix = 'vault:///';

/** The notes as MCP resources, `vault:///ideas/house.md`. Whether the caller may see them is decided before. */
export function openVaultResources(vault: Vault): ResourceGateway {
  return {
    async list(_arrival, cursor, signal) {
      const resources: { uri: string; name: string; mimeType: string }[] = [];
      let last: string | undefined;
      const after =
        cursor === undefined ? undefined : ({ kind: 'file', path: pathOfCursor(cursor) } as const);
      const root = vault.folder.at('.');
      for await (const { kind, place } of walkNotes(vault.folder, root, { recursive: true, after, signal })) {
        if (kind !== 'file' || !/\.(md|markdown)$/i.test(place.path)) continue;
        if (resources.length === pageNotes) return { resources, nextCursor: last };
        last = place.path;
        resources.push({ uri: uriOf(place.path), name: place.path, mimeType: 'text/markdown' });
      }
      return { resources };
    },

    async read(_arrival, uri, signal) {
      const place = noteOf(vault, uri);
      const part = { startLine: 1, charOffset: 0, maxChars, signal };
      const reading = await onNote(place, () => vault.readPart(place, part));
      if (reading.kind !== 'part' || reading.next) throw tooLong(place);
      return { uri, mimeType: 'text/markdown', text: reading.text };
    },

    async subscribe(_arrival, uri, changed) {
      const place = noteOf(vault, uri);
      if (place.stat().kind !== 'file') throw unknown(uri);
      return vault.watch(place, changed);
    },
  };
}

function uriOf(path: string): string {
  return prefix + path.split('/').map(encodeURIComponent).join('/');
}

function noteOf(vault: Vault, uri: string): Place {
  if (!uri.startsWith(prefix)) throw unknown(uri);
  let path: string;
  try {
    path = decodeURIComponent(uri.slice(prefix.length));
  } catch {
    throw unknown(uri);
  }
  return noteAt(vault, path);
}

/** A note's path. The note may be gone, since the list continues at its place in the order. */
function pathOfCursor(cursor: string): string {
  if (cursor === '') throw badCursor();
  return cursor;
}

function unknown(uri: string): ToolError {
  return new ToolError(
    'not_found',
    text('There is no note with this URI.', 'この URI のノートはありません。'),
    {
      suggestion: text(
        'Notes have URIs such as vault:///ideas/house.md.',
        'ノートの URI は vault:///ideas/house.md の形です。',
      ),
      details: { uri: uri.slice(0, 200) },
    },
  );
}

function tooLong(place: Place): ToolError {
  return new ToolError(
    'too_large',
    text(
      `${place.shown} is longer than ${maxChars} characters.`,
      `${place.shown} は ${maxChars} 文字を超えています。`,
    ),
    { suggestion: text('Read it with vault_scan.', 'vault_scan で読んでください。') },
  );
}
