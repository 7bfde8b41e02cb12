import { type Caller, isAgent, metricsRole } from '../contract/caller.ts';
import { reachesMachine } from '../contract/capabilities/capabilities.ts';
import type { ErrorCode } from '../contract/error.ts';
import type { Mode } from '../contract/policy.ts';
import { type Text, text, verbatim } from '../contract/text/text.ts';
import type { Tool } from '../contract/tool/tool.ts';

export type Decision =
  | { readonly allowed: true }
  | {
      readonly allowed: false;
      readonly code: ErrorCode;
      /** The message for the caller. Document 002 fixes these sentences, so they are the same in every language. */
      readonly message: Text;
      /** The reason that `help` gives for a tool that cannot be used. */
      readonly reason: Text;
      readonly suggestion?: Text | undefined;
      /** The token lacks only this scope. */
      readonly scope?: string | undefined;
    };

const allowed: Decision = { allowed: true };

/**
 * Whether this caller may call this tool. The one predicate behind tools/list, `help` and the call itself, so that they
 * cannot disagree (document 002, authorization).
 */
export function decide(tool: Tool, caller: Caller, mode: Mode): Decision {
  if (tool.server !== undefined && !isMapped(tool, caller)) return refuseUnknown(tool);
  const credential = decideCredential(tool, caller);
  if (!credential.allowed) return credential;
  const permission = decidePermission(tool, caller);
  if (!permission.allowed) return permission;
  const changes = tool.server !== undefined || tool.uses.some(reachesMachine);
  if (mode === 'read-only' && !tool.annotations.readOnly && changes)
    return refuse(
      'forbidden',
      verbatim(`Tool '${tool.name}' changes things, and this server is read-only.`),
      text('This server is read-only.', 'このサーバーは読み取り専用です。'),
    );
  return decideScope(tool, caller);
}

/** Checked last: a caller that gets the missing scope must not meet a further refusal. */
function decideScope(tool: Tool, caller: Caller): Decision {
  const scope = tool.annotations.readOnly ? 'tools:read' : 'tools:write';
  if (!caller.scopes || tool.permission === 'unauthenticated' || caller.scopes.includes(scope))
    return allowed;
  const refusal = refuse(
    'forbidden',
    verbatim(`Tool '${tool.name}' requires the scope '${scope}'.`),
    text(`The scope ${scope} is missing.`, `スコープ ${scope} がありません。`),
  );
  return { ...refusal, scope: caller.scopeNames?.[scope] ?? scope };
}

/** A proxied server's tools belong to the local operator until the operator lets others in. */
function isMapped(tool: Tool, caller: Caller): boolean {
  if (caller.kind === 'local') return true;
  if (caller.kind === 'anonymous') return false;
  const names = [caller.kind, caller.principal, ...(caller.role === undefined ? [] : [caller.role])];
  return names.some((name) => tool.roles?.includes(name));
}

/** Worded like an unknown name: a caller that may not use a server need not know of it. */
function refuseUnknown(tool: Tool): Decision {
  const shown = JSON.stringify(tool.name);
  return refuse(
    'not_found',
    text(`There is no tool ${shown}.`, `${shown} というツールはありません。`),
    text(
      'The operator has not given this caller access to the server.',
      '運用者がこの利用を許可していません。',
    ),
    text("'help' lists the tools.", "'help' で一覧を確認できます。"),
  );
}

function decideCredential(tool: Tool, caller: Caller): Decision {
  if (caller.kind === 'user' && caller.role === metricsRole)
    return refuse(
      'forbidden',
      verbatim(`Tool '${tool.name}' is not for tokens of the role '${metricsRole}'.`),
      text('This token can only read /metrics.', 'このトークンは /metrics を読むためだけのものです。'),
    );
  if (tool.name !== 'help' && caller.toolsets && !caller.toolsets.includes(tool.toolset))
    return refuse(
      'forbidden',
      verbatim(`Tool '${tool.name}' is not among the toolsets of this token.`),
      text('The token does not cover this toolset.', 'このトークンはこのツールセットを対象としていません。'),
    );
  return allowed;
}

function decidePermission(tool: Tool, caller: Caller): Decision {
  switch (tool.permission) {
    case 'unauthenticated':
      return allowed;
    case 'coordinator_only':
      return caller.kind === 'coordinator' ? allowed : refuseRole(tool, caller, 'coordinator');
    case 'manager_only':
      return caller.kind === 'manager' ? allowed : refuseRole(tool, caller, 'manager');
    case 'worker_only':
      return caller.kind === 'worker' ? allowed : refuseRole(tool, caller, 'worker');
    case 'authenticated':
      if (isAgent(caller)) return allowed;
      if (!tool.agentsOnly && (caller.kind === 'local' || caller.kind === 'user')) return allowed;
      return refuseAnonymous(tool, caller);
    case 'chat_only':
      return decidePurpose(tool, caller, 'chat');
    case 'task_only':
      return decidePurpose(tool, caller, 'task');
    default:
      // An unknown permission admits no caller.
      return refuseAnonymous(tool, caller);
  }
}

function decidePurpose(tool: Tool, caller: Caller, purpose: 'chat' | 'task'): Decision {
  if (!isAgent(caller)) return refuseAnonymous(tool, caller);
  const current = caller.session.purpose;
  if (current === purpose) return allowed;
  return refuse(
    'forbidden',
    verbatim(`Tool '${tool.name}' requires a ${purpose} session. Current session purpose is '${current}'.`),
    text(
      `This tool is available only in sessions with purpose=${purpose}. The current session has purpose=${current}.`,
      `このツールはpurpose=${purpose}のセッションでのみ利用可能です。現在のセッションはpurpose=${current}です。`,
    ),
    purpose === 'chat'
      ? text('Use delegate_to_chat_session.', 'delegate_to_chat_session を使ってください。')
      : undefined,
  );
}

function refuseRole(tool: Tool, caller: Caller, role: 'coordinator' | 'manager' | 'worker'): Decision {
  if (caller.kind === 'anonymous' || (role !== 'coordinator' && !isAgent(caller)))
    return refuseAnonymous(tool, caller);
  return refuse(
    'forbidden',
    verbatim(`Tool '${tool.name}' requires ${role} authority.`),
    text(`Only a ${role} can use this tool.`, `このツールは${role}のみ利用可能です。`),
  );
}

function refuseAnonymous(tool: Tool, caller: Caller): Decision {
  return refuse(
    'unauthenticated',
    verbatim(`Tool '${tool.name}' requires authentication.`),
    text('Authentication is required.', '認証が必要です。'),
    howToProve(tool, caller.kind === 'anonymous' && caller.reason === 'bad_credential'),
  );
}

/** A caller whose token is invalid must not be told to pass a token. */
function howToProve(tool: Tool, isBadToken: boolean): Text {
  if (tool.permission === 'coordinator_only')
    return isBadToken
      ? text(
          'The token is not valid; pass the right coordinator_token.',
          'トークンが無効です。正しい coordinator_token を渡してください。',
        )
      : text('Pass coordinator_token.', 'coordinator_token を渡してください。');
  if (tool.agentsOnly)
    return isBadToken
      ? text(
          "The token is not valid or its session has ended: call 'authenticate' again and pass the new session_token.",
          "トークンが無効か、セッションが終了しています。'authenticate' をもう一度呼び、新しい session_token を渡してください。",
        )
      : text(
          "Call 'authenticate' and pass session_token.",
          "'authenticate' を呼び、session_token を渡してください。",
        );
  return text(
    'Send a bearer token; `sekisho token create` creates one.',
    'ベアラートークンを送ってください。`sekisho token create` で作成できます。',
  );
}

function refuse(
  code: ErrorCode,
  message: Text,
  reason: Text,
  suggestion?: Text,
): Extract<Decision, { allowed: false }> {
  return { allowed: false, code, message, reason, suggestion };
}
