import type { EventType } from './event-types.ts';

/** Sentence about each type of event, for people. */
export const EVENT_TITLES: Record<EventType, string> = {
  'account.suspended': 'An account was suspended',
  'budget.threshold_reached': 'A budget reached a threshold',
  'catalog.applied': 'A catalog was applied',
  'key.created': 'An API key was created',
  'key.expiring': 'An API key expires soon',
  'key.revoked': 'An API key was revoked',
  'ledger.mismatch': 'The ledger has a mismatch',
  'model.unpriced_unit': 'A model has no price for a unit that was used',
  'pool.threshold_reached': 'A pool reached a threshold',
  'provider.down': 'A provider is down',
  'provider.up': 'A provider is up again',
  'reconciliation.failed': "A provider's bill differs from the records",
  'request.settled': 'A request was settled',
};
