import type { FlowKind, FlowTool } from '../contract/flow.ts';

/** Tool names say what they do; these are the verbs and nouns of deletion and of rights. */
const deletion = new Set('delete remove destroy drop purge erase wipe trash unlink'.split(' '));
const rights = new Set([
  ...'share invite grant permit authorize permission permissions collaborator collaborators'.split(' '),
  ...['member', 'role', 'access', 'acl', 'key', 'keys', 'token', 'owner', 'ownership', 'admin'],
]);

/** The kind of a tool's effect on its arguments; undefined if it sends nothing anywhere. */
export function kindOf(tool: FlowTool): FlowKind | undefined {
  if (tool.server === undefined || tool.annotations.readOnly) return undefined;
  const words = wordsOf(tool);
  if (words.some((word) => deletion.has(word))) return 'delete';
  return words.some((word) => rights.has(word)) ? 'rights' : 'send';
}

/** The words of a proxied tool's name. */
function wordsOf({ name, server = '' }: FlowTool): readonly string[] {
  return name
    .slice(server.length)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
}

/** Whether a call asks whose account the server works for: `whoami`, `get_my_profile`, `get_user_info` of nobody in particular. */
export function isAboutAccount(tool: FlowTool, input: unknown): boolean {
  return Object.keys(Object(input) as object).length === 0 && ofAccount.test(wordsOf(tool).join(' '));
}

const ofAccount =
  /^(?:(?:get|read|show|fetch) )?(?:who ?am ?i|me|self|(?:(?:my|own|current|authenticated) )?(?:user|account|profile|iban|user profile)(?: (?:info|details|profile))?|(?:my|own) (?:email )?(?:email|address))$/;

/** Whether a field of such an answer holds an address of the account, by its name if it has one. */
export function isOfAccount(key: string): boolean {
  return key === '' || /mail|address|iban|account|login|user_?name|number|result/i.test(key);
}

/** Whether a result contains text of others: proxied tools say so, and ours that reach outside if given an address. */
export function readsOutside(tool: FlowTool, input: unknown): boolean {
  if (!tool.annotations.openWorld) return false;
  return tool.server !== undefined || namesAddress(input);
}

function namesAddress(input: unknown): boolean {
  return Object.values(Object(input) as object).some(
    (value) => typeof value === 'string' && value.includes('://'),
  );
}
