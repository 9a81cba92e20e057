import type { SettledReports } from '../roll-ups/roll-up-store.ts';
import { awaitsSettled, reportSettled, reportUnreported } from './settled-event-store.ts';
import { reportUnpricedUnits } from './unpriced-units-store.ts';

/** Events of settled requests, in the transaction in which they are added to the sums. */
export const settledEvents: SettledReports = {
  async report(transaction, requestIds) {
    await reportUnpricedUnits(transaction, requestIds);
    await reportSettled(transaction, requestIds);
  },
  reportLate: reportUnreported,
  isAwaited: awaitsSettled,
};
