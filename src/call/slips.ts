import type { Call } from '../contract/call.ts';
import type { Caller } from '../contract/caller.ts';
import type { Risk } from '../contract/policy.ts';
import type { Tool } from '../contract/tool/tool.ts';

declare const stamp: unique symbol;

/** The proof that a stop hands to the next. Only that stop can make one, so a walk that skips it does not compile. */
type Slip<Stop extends string, Facts> = Facts & { readonly [stamp]: Stop };

/** The caller is known, and the arguments no longer hold credentials. */
export type Identified = Slip<
  'identify',
  { readonly call: Call; readonly caller: Caller; readonly input: unknown }
>;

/** The caller may call this tool. */
export type Authorized = Slip<'authorize', Omit<Identified, typeof stamp> & { readonly tool: Tool }>;

/** The caller is within its rate limits. */
export type Paced = Slip<'limit', Omit<Authorized, typeof stamp>>;

/** The arguments match the tool's schema. */
export type Validated = Slip<'validate', Omit<Paced, typeof stamp>>;

/** Policy, and a person if policy asked, approved exactly this. */
export type Permit = Slip<
  'approve',
  Omit<Validated, typeof stamp> & {
    readonly risk: Risk;
    readonly rule: string;
    /** The call runs on a layer; its effects decide whether they land. */
    readonly onLayer?: boolean | undefined;
    readonly approver?: string | undefined;
  }
>;
