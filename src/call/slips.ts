import type { Call } from '../contract/call.ts';
import type { Caller } from '../contract/caller.ts';
import type { Risk } from '../contract/policy.ts';
import type { Tool } from '../contract/tool/tool.ts';

declare const stamp: unique symbol;

/**
 * What a stop hands to the next. The brand exists for the compiler only: no other code can make one without an
 * `as`, so a road that skips a stop does not compile.
 */
type Slip<Stop extends string, Facts> = Facts & { readonly [stamp]: Stop };

/** We know who is calling, and the arguments no longer hold their credentials. */
export type Identified = Slip<
  'identify',
  { readonly call: Call; readonly caller: Caller; readonly input: unknown }
>;

/** The caller may call this tool. */
export type Authorized = Slip<'authorize', Omit<Identified, typeof stamp> & { readonly tool: Tool }>;

/** And not too often. */
export type Paced = Slip<'limit', Omit<Authorized, typeof stamp>>;

/** The arguments are what the tool's schema says. */
export type Validated = Slip<'validate', Omit<Paced, typeof stamp>>;

/** Policy, and a person where policy asked for one, agreed to exactly this. */
export type Permit = Slip<
  'approve',
  Omit<Validated, typeof stamp> & {
    readonly risk: Risk;
    readonly rule: string;
    /** It runs on a layer, and what it did decides whether that lands. */
    readonly onLayer?: boolean | undefined;
    readonly approver?: string | undefined;
  }
>;
