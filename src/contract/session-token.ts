import { type Text, text } from './text/text.ts';
import type { Permission } from './tool/tool-card.ts';

/**
 * The argument by which a model hands over who it is, where neither its connection nor a header can (document 002).
 * `identify` takes it out of the arguments before any other stop or tool sees them.
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
