import { Prisma } from '@model-gateway/database';
import { newId } from '@model-gateway/shared';
import { z } from 'zod';
import { SYSTEM_ACTOR } from '../actors/actor.ts';
import { recordChange } from '../audit/record-change.ts';
import { PrismaStore } from '../database/prisma-store.ts';
import { deliveredColumns, failedColumns } from '../events/attempt-result-store.ts';
import type { Attempt } from '../events/delivery-attempt.ts';
import { DATA_FOR_WEBHOOK } from '../events/emit-event-store.ts';
import { ownerAddresses } from '../events/owner-addresses-store.ts';
import { holdDeliveries } from './hold-deliveries-store.ts';
import { type ClaimedDelivery, claimedDelivery } from './stored-delivery.ts';
import { lockWebhook, webhookChange } from './webhook-store.ts';

/** Longer than an attempt may take, so that two control planes rarely attempt one delivery. */
export const LEASE_SECONDS = 60;
/** Rows per statement of a clean-up. */
const ROWS_AT_ONCE = 5_000;
const RETENTION_DAYS = 30;
/** A webhook is shown as failing, and its owner gets mail, when every attempt has failed for this long. */
const FAILING_MINUTES = 60;

const secretRows = z.array(
  z.object({
    endpointId: z.string(),
    name: z.string(),
    pepperFingerprint: z.string(),
    sealed: z.instanceof(Uint8Array),
  }),
);
export type WebhookSecretRow = z.infer<typeof secretRows>[number];
const countRows = z.tuple([z.object({ count: z.int() })]);

export interface ClaimRequest {
  /** Maximum deliveries. */
  limit: number;
  /** Maximum deliveries to one receiver that this control plane has claimed. */
  perTarget: number;
  /** Maximum deliveries to all receivers of one account. */
  perAccount: number;
  /** Receivers of claimed deliveries, with their account; once for each delivery. */
  inHand: readonly Pick<ClaimedDelivery, 'ownerId' | 'target'>[];
  /** Begins with the receiver after this one, so that each has its turn. */
  after: string;
}

/**
 * Due deliveries, without mails (MailDeliveryStore). Every control plane claims some; one that it does not
 * finish is due again after a minute.
 */
export class DeliveryStore extends PrismaStore {
  async claim({ after, inHand, limit, perAccount, perTarget }: ClaimRequest): Promise<ClaimedDelivery[]> {
    return await this.query(z.array(claimedDelivery))`
      WITH RECURSIVE receiver AS (
        (SELECT target FROM webhook_deliveries WHERE due_at IS NOT NULL AND target > ${after}
          ORDER BY target LIMIT 1)
        UNION ALL
        SELECT (
          SELECT d.target FROM webhook_deliveries d WHERE d.due_at IS NOT NULL AND d.target > r.target
          ORDER BY d.target LIMIT 1
        ) FROM receiver r WHERE r.target IS NOT NULL
      ), in_hand AS MATERIALIZED (
        SELECT * FROM jsonb_to_recordset(${JSON.stringify(inHand)}::jsonb) AS h ("ownerId" text, target text)
      ), next AS (
        SELECT r.target, e.account_id, ${perTarget}::int - of_target.count AS places,
          ${perAccount}::int - of_account.count AS account_places
        FROM receiver r
        LEFT JOIN webhook_endpoints e ON e.id = r.target
        CROSS JOIN LATERAL (SELECT count(*)::int FROM in_hand WHERE target = r.target) AS of_target
        CROSS JOIN LATERAL (SELECT count(*)::int FROM in_hand WHERE "ownerId" = e.account_id) AS of_account
        WHERE coalesce(e.url, r.target) NOT LIKE 'mailto:%'
          AND of_target.count < ${perTarget} AND of_account.count < ${perAccount}
          AND EXISTS (SELECT FROM webhook_deliveries w WHERE w.target = r.target AND w.due_at <= now())
        LIMIT ${limit}
      ), turn AS MATERIALIZED (
        -- Other receivers of an account get what its first ones leave. The installation has no such limit.
        SELECT target, CASE WHEN account_id IS NULL THEN places ELSE least(places, account_places
          - ${perTarget}::int * (row_number() OVER (PARTITION BY account_id ORDER BY target)::int - 1)) END AS places
        FROM next ORDER BY target
      ), due AS (
        SELECT d.event_id, d.target, d.due_at
        FROM turn t
        CROSS JOIN LATERAL (
          SELECT * FROM webhook_deliveries w WHERE w.target = t.target AND w.due_at <= now() ORDER BY w.due_at
          LIMIT greatest(t.places, 0) FOR UPDATE SKIP LOCKED
        ) d
        LIMIT ${limit}
      ), claimed AS (
        UPDATE webhook_deliveries c SET due_at = now() + make_interval(secs => ${LEASE_SECONDS})
        FROM due WHERE c.event_id = due.event_id AND c.target = due.target
        RETURNING c.event_id, c.target, c.tries, c.due_at, due.due_at AS was_due_at
      )
      SELECT c.event_id AS "eventId", c.target, c.tries, c.due_at AS "claimedUntil",
        (extract(epoch FROM now() - c.was_due_at) * 1000)::float8 AS "waitedMs", e.type,
        e.account_id AS "accountId", e.created_at AS "createdAt", ${DATA_FOR_WEBHOOK}, w.url, w.format,
        w.disabled_at IS NOT NULL AS "isDisabled", w.account_id AS "ownerId"
      FROM claimed c JOIN events e ON e.id = c.event_id LEFT JOIN webhook_endpoints w ON w.id = c.target
      ORDER BY c.target`;
  }

  /** Returns the valid secrets of webhooks, the newest of each first. */
  async secretsOf(webhookIds: readonly string[]): Promise<WebhookSecretRow[]> {
    return await this.query(secretRows)`
      SELECT endpoint_id AS "endpointId", name, pepper_fingerprint AS "pepperFingerprint", sealed
      FROM webhook_secrets
      WHERE endpoint_id = ANY(${[...webhookIds]}) AND (expires_at IS NULL OR expires_at > now())
      ORDER BY expires_at DESC NULLS FIRST`;
  }

  async finish({ claimedUntil, eventId, target }: ClaimedDelivery, made: Attempt): Promise<void> {
    await this.prisma.$executeRaw`
      WITH delivered AS (
        UPDATE webhook_deliveries SET ${deliveredColumns(claimedUntil, made)}
        WHERE event_id = ${eventId} AND target = ${target}
      )
      UPDATE webhook_endpoints SET failing_since = NULL, failure_told_at = NULL
      WHERE id = ${target} AND failing_since IS NOT NULL`;
  }

  /**
   * Stores a failed attempt, unless the claim of the delivery has ended.
   * @param retryMs null: none follows
   */
  async retry(
    { claimedUntil, eventId, target }: ClaimedDelivery,
    made: Attempt,
    retryMs: number | null,
  ): Promise<void> {
    await this.prisma.$executeRaw`
      WITH failed AS (
        UPDATE webhook_deliveries SET ${failedColumns(made, retryMs)}
        WHERE event_id = ${eventId} AND target = ${target} AND due_at = ${claimedUntil}
      )
      UPDATE webhook_endpoints SET failing_since = now() WHERE id = ${target} AND failing_since IS NULL`;
  }

  /** Releases a claimed delivery, so that others take it at once. */
  async release({ claimedUntil, eventId, target }: ClaimedDelivery): Promise<void> {
    await this.prisma.$executeRaw`
      UPDATE webhook_deliveries SET due_at = now()
      WHERE event_id = ${eventId} AND target = ${target} AND due_at = ${claimedUntil}`;
  }

  /**
   * Shows a webhook as failing when all its attempts have failed for an hour, and mails its owner once.
   * @param sendsMail false: sends no mail to the owner
   */
  async tellFailing(webhookId: string, sendsMail: boolean): Promise<void> {
    await this.prisma.$executeRaw`
      WITH changed AS (
        UPDATE webhook_endpoints SET failure_told_at = now()
        WHERE id = ${webhookId} AND disabled_at IS NULL AND failure_told_at IS NULL
          AND failing_since <= now() - make_interval(mins => ${FAILING_MINUTES})
        RETURNING *
      )
      SELECT ${mailOwner(sendsMail, 'failing')} FROM changed w`;
  }

  /**
   * Disables a webhook whose receiver is gone, and mails its owner, unless its URL was changed during the
   * attempt.
   */
  async disableGone(
    { target: webhookId, url }: Pick<ClaimedDelivery, 'target' | 'url'>,
    sendsMail: boolean,
  ): Promise<void> {
    await this.prisma.$transaction(async (transaction) => {
      const before = await lockWebhook(transaction, SYSTEM_ACTOR, webhookId);
      if (before.disabledAt !== null || before.url !== url) return;
      await transaction.$executeRaw`
        WITH changed AS (
          UPDATE webhook_endpoints SET disabled_at = now(), disabled_because = 'gone' WHERE id = ${webhookId}
          RETURNING *
        )
        SELECT ${mailOwner(sendsMail, 'gone')} FROM changed w`;
      await holdDeliveries(transaction, webhookId);
      const after = await lockWebhook(transaction, SYSTEM_ACTOR, webhookId);
      await recordChange(transaction, SYSTEM_ACTOR, webhookChange('webhook.changed', before, after));
    });
  }

  /** Ends the waiting deliveries of a webhook that is disabled, or was removed. */
  async hold(target: string): Promise<void> {
    await holdDeliveries(this.prisma, target);
  }

  /** Deletes what is older than 30 days, in parts. @returns true if there may be more */
  async prune(): Promise<void> {
    for (;;) {
      const [{ count }] = await this.query(countRows)`
        WITH old AS (
          DELETE FROM events WHERE id IN (
            SELECT id FROM events WHERE created_at < now() - make_interval(days => ${RETENTION_DAYS})
            ORDER BY created_at LIMIT ${ROWS_AT_ONCE} FOR UPDATE SKIP LOCKED
          ) RETURNING id
        ), delivery AS (
          DELETE FROM webhook_deliveries d USING old WHERE d.event_id = old.id
        )
        SELECT count(*)::int AS count FROM old`;
      if (count < ROWS_AT_ONCE) return;
    }
  }
}

/**
 * Returns SQL that mails the owner of the webhook `w` that it fails: the owners of its account, or the
 * operators.
 */
function mailOwner(sendsMail: boolean, reason: 'failing' | 'gone'): Prisma.Sql {
  const event = { id: newId('evt'), type: 'webhook.failing' };
  return Prisma.sql`
    emit_events(jsonb_build_array(${JSON.stringify(event)}::jsonb || jsonb_build_object(
      'account_id', w.account_id,
      'data', jsonb_build_object('webhook_id', w.id, 'url', w.url, 'reason', ${reason}::text,
        'failing_since', w.failing_since),
      'mail_to', CASE
        WHEN NOT ${sendsMail}::boolean THEN NULL
        WHEN w.account_id IS NULL THEN
          to_jsonb(ARRAY(SELECT DISTINCT email FROM installation_roles WHERE role = 'operator'))
        ELSE (SELECT to_jsonb(${ownerAddresses()}) FROM accounts a WHERE a.id = w.account_id)
      END
    )))`;
}
