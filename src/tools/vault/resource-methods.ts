import * as z from 'zod';
import type { Arrival } from '../../contract/call.ts';
import { text } from '../../contract/text/text.ts';
import { defineTool } from '../../contract/tool/define-tool.ts';
import { openVaultResources } from './resources.ts';

/**
 * The protocol's resource methods as unlisted tools, so that reading a note as a resource is authorized, limited and
 * recorded like a call of `vault_read`.
 */
const common = {
  category: 'vault',
  permission: 'authenticated',
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
