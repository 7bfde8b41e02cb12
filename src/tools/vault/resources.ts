import * as z from 'zod';
import type { Arrival } from '../../contract/call.ts';
import type { Place } from '../../contract/capabilities/files.ts';
import type { Vault } from '../../contract/capabilities/vault.ts';
import { ToolError } from '../../contract/error.ts';
import type { ResourceGateway } from '../../contract/gateway.ts';
import { text } from '../../contract/text/text.ts';
import { defineTool } from '../../contract/tool/define-tool.ts';
import { orElse } from '../../ground/or-else.ts';
import { badCursor, noteAt, onNote } from './rules.ts';
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
      if (reading.kind !== 'part' || reading.next)
        throw new ToolError(
          'too_large',
          `${place.shown} is longer than ${maxChars} characters.`,
          `${place.shown} は ${maxChars} 文字を超えています。`,
          text('Read it with vault_scan.', 'vault_scan で読んでください。'),
        );
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
  const path = orElse(() => decodeURIComponent(uri.slice(prefix.length)), undefined);
  if (path === undefined) throw unknown(uri);
  return noteAt(vault, path);
}

/** A note's path. The note may be gone, since the list continues at its place in the order. */
function pathOfCursor(cursor: string): string {
  if (cursor === '') throw badCursor();
  return cursor;
}

function unknown(uri: string): ToolError {
  return new ToolError('not_found', 'There is no note with this URI.', 'この URI のノートはありません。', {
    suggestion: text(
      'Notes have URIs such as vault:///ideas/house.md.',
      'ノートの URI は vault:///ideas/house.md の形です。',
    ),
    details: { uri: uri.slice(0, 200) },
  });
}

/** The protocol's resource methods as unlisted tools: reading a note is recorded like a call of `vault_read`. */
const common = {
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['vault'],
  unlisted: true,
  ja: {},
} as const;

/** The tool was authorized for its caller, so the arrival no longer matters here. */
const anywhere: Arrival = { transport: 'cli' };

const resourcesList = defineTool({
  ...common,
  name: 'resources/list',
  title: text('List notes', 'ノートの一覧'),
  description: text('List the notes as resources.', 'ノートをリソースとして一覧します。'),
  input: z.object({ cursor: z.string().optional() }),
  output: z.object({
    resources: z.array(z.object({ uri: z.string(), name: z.string(), mimeType: z.string() })),
    nextCursor: z.string().optional(),
  }),
  example: {},
  async run({ cursor }, { vault, signal }) {
    const page = await openVaultResources(vault).list(anywhere, cursor, signal);
    return {
      resources: [...page.resources],
      ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
    };
  },
});

const resourcesRead = defineTool({
  ...common,
  name: 'resources/read',
  title: text('Read a note', 'ノートを読む'),
  description: text('Read a note as a resource.', 'ノートをリソースとして読みます。'),
  input: z.object({ uri: z.string() }),
  output: z.object({ uri: z.string(), mimeType: z.string(), text: z.string() }),
  example: { uri: 'vault:///ideas/house.md' },
  async run({ uri }, { vault, signal }) {
    const resource = await openVaultResources(vault).read(anywhere, uri, signal);
    return { uri, mimeType: resource.mimeType, text: 'text' in resource ? resource.text : '' };
  },
});

const resourcesSubscribe = defineTool({
  ...common,
  name: 'resources/subscribe',
  title: text('Watch a note', 'ノートを監視'),
  description: text('Be notified of changes to a note.', 'ノートの変更を知らせます。'),
  input: z.object({ uri: z.string() }),
  output: z.object({}),
  example: { uri: 'vault:///ideas/house.md' },
  async run({ uri }, { vault }) {
    // Checks permission only: the watch itself lives as long as the connection, not as this call.
    const end = await openVaultResources(vault).subscribe(anywhere, uri, () => {});
    end();
    return {};
  },
});

export const resourceMethods = [resourcesList, resourcesRead, resourcesSubscribe];
