/** Types of events that webhooks can be subscribed to (docs/webhooks.md). */
export const EVENT_TYPES = [
  'account.suspended',
  'budget.threshold_reached',
  'catalog.applied',
  'key.created',
  'key.expiring',
  'key.revoked',
  'ledger.mismatch',
  'model.unpriced_unit',
  'pool.threshold_reached',
  'provider.down',
  'provider.up',
  'reconciliation.failed',
  'request.settled',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** Types of events that concern the installation, so that no account's webhook gets them. */
export const INSTALLATION_EVENT_TYPES: readonly EventType[] = [
  'catalog.applied',
  'ledger.mismatch',
  'model.unpriced_unit',
  'provider.down',
  'provider.up',
  'reconciliation.failed',
];

/** Percentages of a budget or pool at which an event is sent. */
export const THRESHOLDS = [50, 80, 100] as const;
