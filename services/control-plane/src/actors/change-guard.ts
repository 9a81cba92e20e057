import type { Transaction } from '../database/prisma-store.ts';

/** Change of an object, for its audit event. */
export interface Change {
  /** Such as `api_key.created` (docs/audit.md). */
  action: string;
  /** Changed object. The event keeps a copy of its name for the time after a deletion. */
  object: { type: string; id: string; name: string };
  /** Account whose owner may see the event; null: the installation. */
  accountId: string | null;
  /** Resources of the management API, without secrets; null: it did not exist, or does not exist any more. */
  before: object | null;
  after: object | null;
  /** Replaces these members in the audit event, where they have ids that are deleted, or secrets. */
  inEvent?: Pick<Change, 'object' | 'before' | 'after'>;
}

/**
 * Conditions of a request that hold in the transaction of its change, such as If-Match and Idempotency-Key.
 * @param further objects that change with the first, whose conditions are checked
 * @throws ControlPlaneError to roll the change back
 */
export type ChangeGuard = (
  transaction: Transaction,
  change: Change,
  further: readonly Change[],
) => Promise<void>;
