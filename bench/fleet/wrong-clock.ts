/** Loaded before a server: its clock goes an hour ahead. */
const aheadMs = 60 * 60 * 1000;
const RealDate = Date;

class WrongDate extends RealDate {
  static override now(): number {
    return RealDate.now() + aheadMs;
  }
  constructor(...given: readonly unknown[]) {
    // A date that is given is nobody's clock.
    if (given.length === 0) super(RealDate.now() + aheadMs);
    else super(...(given as [number]));
  }
}

globalThis.Date = WrongDate as DateConstructor;
