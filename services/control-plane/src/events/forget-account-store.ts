import type { Transaction } from '../database/prisma-store.ts';

/** Deletes the webhooks of an account, with their secrets: nothing more is sent to them. */
export async function deleteWebhooksOf(transaction: Transaction, accountId: string): Promise<void> {
  await transaction.$executeRaw`
    DELETE FROM webhook_secrets s USING webhook_endpoints w
    WHERE w.account_id = ${accountId} AND s.endpoint_id = w.id`;
  await transaction.webhookEndpoint.deleteMany({ where: { accountId } });
}

/** Events that are mailed to owners of an account, or name it. An account may have millions of others. */
const NAMING_TYPES = [
  'account.suspended',
  'budget.threshold_reached',
  'pool.threshold_reached',
  'webhook.failing',
];

/** Deletes the mails of events to people of a deleted account, and its name and address in its events. */
export async function forgetAccountInEvents(transaction: Transaction, accountId: string): Promise<void> {
  await transaction.$executeRaw`
    DELETE FROM webhook_deliveries d USING events e
    WHERE e.account_id = ${accountId} AND e.type = ANY(${NAMING_TYPES}) AND d.event_id = e.id
      AND d.target LIKE 'mailto:%'`;
  await transaction.$executeRaw`
    UPDATE events e SET data = e.data || CASE
      WHEN e.type = 'account.suspended' THEN jsonb_build_object('email', a.email, 'name', a.name)
      ELSE jsonb_build_object('scope_name', a.name)
    END
    FROM accounts a WHERE a.id = ${accountId} AND e.account_id = ${accountId} AND e.type = ANY(${NAMING_TYPES})
      AND (e.type = 'account.suspended' OR e.data->>'scope' = 'account')`;
}

/** Deletes the events of an account, with their deliveries. */
export async function deleteEventsOf(transaction: Transaction, accountId: string): Promise<void> {
  await transaction.$executeRaw`
    DELETE FROM webhook_deliveries d USING events e WHERE e.account_id = ${accountId} AND d.event_id = e.id`;
  await transaction.event.deleteMany({ where: { accountId } });
}
