import { posix } from 'node:path';
import { type EffectRule, mostSent, type RequestFacts } from '../../../contract/effects.ts';
import { ConfigError } from '../../../contract/error.ts';
import { text } from '../../../contract/text/text.ts';
import { createPathGlob } from '../../../ground/glob/rule-glob.ts';
import { orElse } from '../../../ground/or-else.ts';
import { type Finds, type ReadyRule, readRule } from './rule.ts';

/** Whether a rule about effects is about requests to hosts. */
export function isAboutRequests({ effect: { sends, kind } }: EffectRule): boolean {
  return sends !== undefined || kind !== undefined;
}

/**
 * An ask or deny fits if the request does in one of the ways in which a server may read its path; an allow only if there
 * is one way. Throws a `ConfigError` that names the rule.
 */
export function readRequestRule(rule: EffectRule, place: number): ReadyRule<RequestFacts> {
  return readRule(rule, place, ({ sends, kind, ...files }) => {
    if (Object.values(files).some((each) => each !== undefined))
      throw new ConfigError(
        'an effect is about requests (sends, kind) or about files, not both',
        'effect には、リクエスト (sends、kind) とファイルの一方だけを指定してください',
      );
    const most = sends === undefined ? undefined : mostSent(sends);
    if (rule.then === 'allow' && (sends === undefined || most !== undefined))
      throw new ConfigError(
        'an effect with "then": "allow" must say in sends where requests may go',
        '許可する effect には、送信してよい先を sends で指定してください',
      );
    const finds: Finds<RequestFacts>[] = [];
    if (kind) finds.push((request) => (kind.includes(request.kind) ? sendsText(request) : undefined));
    if (most !== undefined)
      finds.push((request) => ((request.bodyBytes ?? Infinity) > most ? sendsText(request) : undefined));
    else if (sends !== undefined) finds.push(findsSent(sends, rule.then === 'allow'));
    // A published port sends nothing by itself: only a rule that names this kind is about it.
    if (!kind?.includes('listen'))
      finds.push((request) => (request.kind === 'listen' ? undefined : sendsText(request)));
    return finds;
  });
}

function findsSent(pattern: string, isSure: boolean): Finds<RequestFacts> {
  const fits = createPathGlob(pattern.includes('/') ? pattern : `${pattern}/**`);
  return (request) => {
    const paths = readingsOf(request.path);
    const isFitting =
      ({ host }: RequestFacts) =>
      (path: string) =>
        fits(`${host}${path}`);
    const found = isSure
      ? paths.length === 1 && paths.every(isFitting(request))
      : paths.some(isFitting(request));
    return found ? sendsText(request) : undefined;
  };
}

/** A path as servers may read it: as sent, decoded, and without steps that lead elsewhere. */
function readingsOf(path: string): readonly string[] {
  const bare = /^[^?#]*/.exec(path)?.[0] ?? '';
  let decoded = bare;
  for (let times = 0; times < 4; times++) decoded = decodedOnce(decoded);
  const straight = decoded === '' ? '' : posix.normalize(decoded.replaceAll('\\', '/'));
  return [...new Set([bare, decoded, straight])];
}

function decodedOnce(path: string): string {
  return orElse(() => decodeURIComponent(path), path);
}

function sendsText({ kind, host, path }: RequestFacts) {
  return text(`a request of the kind ${kind} to ${host}${path}`, `${host}${path} への ${kind} のリクエスト`);
}
