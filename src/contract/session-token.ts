import { type Text, text } from './text/text.ts';
import type { Permission } from './tool/tool-card.ts';

/**
 * The argument in which a model passes its identity if neither its connection nor a header can (document 002).
 * `identify` removes it before any other stop or tool sees the arguments.
 */
export function tokenArgument(permission: Permission): { readonly name: string; readonly description: Text } {
  return permission === 'coordinator_only'
    ? {
        name: 'coordinator_token',
        description: text("The coordinator's token.", 'コーディネーターのトークン。'),
      }
    : {
        name: 'session_token',
        description: text('Token from authenticate, "sess_…".', '認証セッショントークン。"sess_…"。'),
      };
}
