import type { OutgoingSecret } from '../contract/policy.ts';
import type { Tool } from '../contract/tool/tool.ts';
import { decoded } from '../ground/decoded.ts';
import { holdsCredential } from '../ground/redact.ts';
import { runsCommands } from './policy/rule.ts';

const maxDepth = 12;
const maxDecodings = 2;
const maxChars = 1 << 20;

/**
 * Does a call send a credential to others, plain or encoded, wherever it stands: address, host name, header, body or any
 * argument? Where commands may go is listed and judged elsewhere.
 */
export function outgoingSecret(tool: Tool, input: unknown): OutgoingSecret | undefined {
  if (!tool.annotations.openWorld || runsCommands(tool)) return undefined;
  return secretIn(input, '', 0);
}

function secretIn(value: unknown, argument: string, depth: number): OutgoingSecret | undefined {
  if (typeof value === 'string') return inText(value.slice(0, maxChars), argument);
  if (typeof value !== 'object' || value === null || depth > maxDepth) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const path = argument === '' ? name : `${argument}.${name}`;
    const found = secretIn(member, path, depth + 1) ?? inText(name, path);
    if (found) return found;
  }
  return undefined;
}

function inText(text: string, argument: string, decodings = 0): OutgoingSecret | undefined {
  if (holdsCredential(text)) return { argument, isEncoded: decodings > 0 };
  if (decodings === maxDecodings || text.length < 12) return undefined;
  for (const word of wordsOf(text)) {
    const inner = decoded(word);
    const found = inner === undefined ? undefined : inText(inner, argument, decodings + 1);
    if (found) return found;
  }
  return undefined;
}

/** What could be encoded by itself: words, parts of an address, and the labels of a host name taken together. */
function wordsOf(text: string): readonly string[] {
  return text
    .split(/[\s"'<>()[\]{},;]+/)
    .flatMap((word) => [word, ...word.split(/[?&=#:/.]+/), labelsOf(word)])
    .filter((word) => word !== '');
}

/** Data hides below a domain in as many labels as it needs. */
function labelsOf(word: string): string {
  const [host = ''] = word.replace(/^\w+:\/\//, '').split(/[/?#:]/);
  return host.split('.').slice(0, -2).join('');
}
