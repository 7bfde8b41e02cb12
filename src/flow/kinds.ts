import type { FlowKind, FlowTool } from '../contract/flow.ts';

/** Tool names say what they do; these are the verbs and nouns of deletion and of rights. */
const deletion = new Set([
  'delete',
  'remove',
  'destroy',
  'drop',
  'purge',
  'erase',
  'wipe',
  'trash',
  'unlink',
]);
const rights = new Set([
  ...[
    'share',
    'invite',
    'grant',
    'permit',
    'authorize',
    'permission',
    'permissions',
    'collaborator',
    'collaborators',
  ],
  ...['member', 'role', 'access', 'acl', 'key', 'keys', 'token', 'owner', 'ownership', 'admin'],
]);

/** The kind of a tool's effect on its arguments; undefined if it sends nothing anywhere. */
export function kindOf(tool: FlowTool): FlowKind | undefined {
  if (tool.server === undefined || tool.annotations.readOnly) return undefined;
  const words = tool.name
    .slice(tool.server.length)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
  if (words.some((word) => deletion.has(word))) return 'delete';
  return words.some((word) => rights.has(word)) ? 'rights' : 'send';
}

/**
 * Whether a call's result contains text of others. Proxied tools say so by their annotations; our own that reach
 * outside do if they were given an address.
 */
export function readsOutside(tool: FlowTool, input: unknown): boolean {
  if (!tool.annotations.openWorld) return false;
  return tool.server !== undefined || namesAddress(input);
}

function namesAddress(input: unknown): boolean {
  return Object.values(Object(input) as object).some(
    (value) => typeof value === 'string' && value.includes('://'),
  );
}
