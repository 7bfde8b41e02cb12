import type { Settings } from '../../config/settings.ts';

/** A person at the terminal is given longer than one who has to notice a question elsewhere. */
export function withPatience(settings: Settings): Settings {
  const waitMs = Math.max(settings.approval.waitMs, 600_000);
  return { ...settings, approval: { ...settings.approval, waitMs } };
}
