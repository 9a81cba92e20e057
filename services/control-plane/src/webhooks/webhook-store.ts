import { Prisma } from '@model-gateway/database';
import type { AuditAction } from '@model-gateway/shared/audit-actions';
import { z } from 'zod';
import { lockForUser } from '../access/role-store.ts';
import type { Actor } from '../actors/actor.ts';
import { type RecordedChange, recordChange } from '../audit/record-change.ts';
import { PrismaStore, queryRows, type Transaction } from '../database/prisma-store.ts';
import { invalidArgument, notFound } from '../errors/control-plane-error.ts';
import { withMaskedUrl } from '../events/masked-url.ts';
import { listOrder } from '../lists/list-order-store.ts';
import type { ListQuery } from '../lists/list-page.ts';
import { holdDeliveries } from './hold-deliveries-store.ts';
import { type StoredWebhook, storedWebhook } from './stored-webhook.ts';
import { webhookResource } from './webhook-resource.ts';
import type { NewWebhookSecret } from './webhook-secrets.ts';

const MAX_PER_OWNER = 50;
const countRows = z.tuple([z.object({ count: z.int() })]);

export type NewWebhook = Pick<
  StoredWebhook,
  'id' | 'accountId' | 'url' | 'events' | 'format' | 'description'
>;

export type WebhookChanges = Partial<Omit<NewWebhook, 'id' | 'accountId'>> & { enabled?: boolean };

/** Describes a change of a webhook for its audit event. @param more members of `after` alone */
export function webhookChange(
  action: Extract<AuditAction, `webhook.${string}`>,
  before: StoredWebhook | null,
  after: StoredWebhook | null,
  more: object = {},
): RecordedChange {
  const { accountId, id, url } = after ?? before ?? { accountId: null, id: '', url: '' };
  const object = { type: 'webhook', id, name: new URL(url).host };
  const masked = {
    before: before && webhookResource(withMaskedUrl(before)),
    after: after && { ...webhookResource(withMaskedUrl(after)), ...more },
  };
  return {
    action,
    object,
    accountId,
    before: before && webhookResource(before),
    after: after && { ...webhookResource(after), ...more },
    inEvent: { object, ...masked },
  };
}

export class WebhookStore extends PrismaStore {
  /** @throws ControlPlaneError invalid_argument (too many), failed_precondition (the user lost its role) */
  async create(actor: Actor, webhook: NewWebhook, secret: NewWebhookSecret): Promise<StoredWebhook> {
    return await this.prisma.$transaction(async (transaction) => {
      await lockOwner(transaction, actor, webhook.accountId);
      const [{ count }] = await queryRows(transaction, countRows)`
        SELECT count(*)::int AS count FROM webhook_endpoints
        WHERE account_id IS NOT DISTINCT FROM ${webhook.accountId}`;
      if (count >= MAX_PER_OWNER) throw invalidArgument(`there can be at most ${MAX_PER_OWNER} webhooks`);
      const created = storedWebhook.parse(await transaction.webhookEndpoint.create({ data: webhook }));
      await addSecret(transaction, webhook.id, secret);
      await recordChange(transaction, actor, webhookChange('webhook.created', null, created));
      return created;
    });
  }

  /**
   * Enabling one forgets its failures, so that it is not shown as failing before the next attempt.
   * @throws ControlPlaneError not_found
   */
  async change(actor: Actor, id: string, changes: WebhookChanges): Promise<StoredWebhook> {
    return await this.prisma.$transaction(async (transaction) => {
      const before = await lockWebhook(transaction, actor, id);
      const { enabled, ...columns } = changes;
      const isEnabled = before.disabledAt === null;
      const state =
        enabled === undefined || enabled === isEnabled
          ? {}
          : {
              disabledAt: enabled ? null : new Date(),
              disabledBecause: null,
              failingSince: null,
              failureToldAt: null,
            };
      const data = { ...columns, ...state };
      const after = storedWebhook.parse(await transaction.webhookEndpoint.update({ where: { id }, data }));
      if (enabled === false) await holdDeliveries(transaction, id);
      await recordChange(transaction, actor, webhookChange('webhook.changed', before, after));
      return after;
    });
  }

  /** Its deliveries stay until they are pruned. @throws ControlPlaneError not_found */
  async remove(actor: Actor, id: string): Promise<void> {
    await this.prisma.$transaction(async (transaction) => {
      const before = await lockWebhook(transaction, actor, id);
      await transaction.webhookSecret.deleteMany({ where: { endpointId: id } });
      await transaction.webhookEndpoint.delete({ where: { id } });
      await recordChange(transaction, actor, webhookChange('webhook.removed', before, null));
    });
  }

  /**
   * Replaces the secret; the one before stays valid for some hours, and older ones end.
   * @returns the end of the secret before
   * @throws ControlPlaneError not_found
   */
  async rotateSecret(
    actor: Actor,
    id: string,
    secret: NewWebhookSecret,
    overlapHours: number,
  ): Promise<{ webhook: StoredWebhook; previousExpiresAt: Date }> {
    return await this.prisma.$transaction(async (transaction) => {
      const webhook = await lockWebhook(transaction, actor, id);
      const previousExpiresAt = new Date(Date.now() + overlapHours * 3_600_000);
      await transaction.webhookSecret.deleteMany({ where: { endpointId: id, expiresAt: { not: null } } });
      await transaction.webhookSecret.updateMany({
        where: { endpointId: id },
        data: { expiresAt: previousExpiresAt },
      });
      await addSecret(transaction, id, secret);
      const more = { previous_secret_expires_at: previousExpiresAt.toISOString() };
      await recordChange(transaction, actor, webhookChange('webhook.secret_rotated', webhook, webhook, more));
      return { webhook, previousExpiresAt };
    });
  }

  async find(id: string): Promise<StoredWebhook | null> {
    const row = await this.prisma.webhookEndpoint.findUnique({ where: { id } });
    return row && storedWebhook.parse(row);
  }

  /**
   * Lists webhooks, newest first, one more than the limit.
   * @param accountId undefined: all; null: those of the installation
   */
  async list(accountId: string | null | undefined, query: ListQuery): Promise<StoredWebhook[]> {
    const { isAfter, orderAndLimit } = listOrder('w', 'newest', query);
    const isListed =
      accountId === undefined
        ? Prisma.sql`true`
        : Prisma.sql`w.account_id IS NOT DISTINCT FROM ${accountId}::text`;
    return await this.query(z.array(storedWebhook))`
      SELECT ${WEBHOOK_COLUMNS} FROM webhook_endpoints w WHERE ${isListed} AND ${isAfter} ${orderAndLimit}`;
  }
}

const WEBHOOK_COLUMNS = Prisma.sql`
  w.id, w.account_id AS "accountId", w.url, w.events, w.format, w.description, w.created_at AS "createdAt",
  w.disabled_at AS "disabledAt", w.disabled_because AS "disabledBecause", w.failing_since AS "failingSince",
  w.failure_told_at AS "failureToldAt"`;

/** Locks the owner of a new webhook, so that there are not too many, and checks a user's role again. */
async function lockOwner(transaction: Transaction, actor: Actor, accountId: string | null): Promise<void> {
  if (actor.type === 'user') await lockForUser(transaction, actor, 'admin');
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('webhooks of ' || ${accountId ?? ''}))`;
}

/** @throws ControlPlaneError not_found */
export async function lockWebhook(
  transaction: Transaction,
  actor: Actor,
  id: string,
): Promise<StoredWebhook> {
  if (actor.type === 'user') await lockForUser(transaction, actor, 'admin');
  const [row] = await queryRows(transaction, z.array(storedWebhook))`
    SELECT ${WEBHOOK_COLUMNS} FROM webhook_endpoints w WHERE w.id = ${id} FOR UPDATE`;
  if (row === undefined) throw notFound(`there is no webhook ${id}`);
  return row;
}

async function addSecret(
  transaction: Transaction,
  endpointId: string,
  { name, rows }: NewWebhookSecret,
): Promise<void> {
  const data = rows.map((row) => ({ ...row, name, endpointId, sealed: new Uint8Array(row.sealed) }));
  await transaction.webhookSecret.createMany({ data });
}
