import type { Transaction } from '../database/prisma-store.ts';

/** Deletes the webhooks of an account, with their secrets: nothing more is sent to them. */
export async function deleteWebhooksOf(transaction: Transaction, accountId: string): Promise<void> {
  await transaction.$executeRaw`
    DELETE FROM webhook_secrets s USING webhook_endpoints w
    WHERE w.account_id = ${accountId} AND s.endpoint_id = w.id`;
  await transaction.webhookEndpoint.deleteMany({ where: { accountId } });
}

/** Deletes the events of an account, with their deliveries. */
export async function deleteEventsOf(transaction: Transaction, accountId: string): Promise<void> {
  await transaction.$executeRaw`
    DELETE FROM webhook_deliveries d USING events e WHERE e.account_id = ${accountId} AND d.event_id = e.id`;
  await transaction.event.deleteMany({ where: { accountId } });
}
