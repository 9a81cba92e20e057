import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { PrismaStore, queryRows, type Transaction } from '../database/prisma-store.ts';
import { deliveredColumns, failedColumns } from '../events/attempt-result-store.ts';
import type { Attempt } from '../events/delivery-attempt.ts';

/** An address gets this many mails an hour; the last ones report several events each. */
export const MAILS_PER_HOUR = 6;
/** Longer than the mail server may take, so that two control planes rarely send one mail. */
const LEASE_SECONDS = 90;
/** A mail lists a few of them. With fewer, an address with many events would get all too late. */
const MAX_IN_A_MAIL = 10_000;

/** An event for one address. */
const mailedEvents = z.array(
  z.object({
    eventId: z.string(),
    /** `mailto:` and the address, or the id of a webhook with such a URL. */
    target: z.string(),
    tries: z.int(),
    type: z.string(),
    createdAt: z.date(),
    data: z.record(z.string(), z.unknown()),
  }),
);
export type MailedEvent = z.infer<typeof mailedEvents>[number];

/** One mail to send. */
export interface ClaimedMail {
  to: string;
  /** At least one; oldest first. */
  events: MailedEvent[];
  /** When another control plane may take them; identifies the claim. */
  claimedUntil: Date;
}

const claimRow = z.object({ claimedUntil: z.date() });
const claims = z.tuple([claimRow], claimRow);
const addresses = z.array(z.object({ address: z.string() }));
const room = z.tuple([z.object({ isFree: z.boolean(), left: z.int() })]);

/** Receivers with due events that are mail, with their address. */
const MAIL_TARGETS = Prisma.sql`
  WITH RECURSIVE receiver AS (
    (SELECT target FROM webhook_deliveries WHERE due_at IS NOT NULL ORDER BY target LIMIT 1)
    UNION ALL
    SELECT (
      SELECT d.target FROM webhook_deliveries d WHERE d.due_at IS NOT NULL AND d.target > r.target
      ORDER BY d.target LIMIT 1
    ) FROM receiver r WHERE r.target IS NOT NULL
  ), mail AS (
    SELECT r.target, substr(coalesce(w.url, r.target), 8) AS address
    FROM receiver r LEFT JOIN webhook_endpoints w ON w.id = r.target AND w.disabled_at IS NULL
    WHERE coalesce(w.url, r.target) LIKE 'mailto:%'
  )`;

/** Events that wait to be mailed. Every control plane takes some; what it does not finish is due again. */
export class MailDeliveryStore extends PrismaStore {
  /**
   * Takes the events of the next mail to an address that may get one now. If more wait than it may get mails
   * in this hour, one mail has all of them.
   */
  async claim(): Promise<ClaimedMail | undefined> {
    const waiting = await this.query(addresses)`
      ${MAIL_TARGETS}
      SELECT DISTINCT address FROM mail WHERE EXISTS (
        SELECT FROM webhook_deliveries d WHERE d.target = mail.target AND d.due_at <= now()
      ) ORDER BY address`;
    for (const { address } of waiting) {
      const claimed = await this.prisma.$transaction((transaction) => claimFor(transaction, address));
      if (claimed !== undefined) return claimed;
    }
    return undefined;
  }

  async finish({ claimedUntil, events }: ClaimedMail, attempt: Attempt): Promise<void> {
    await this.prisma.$executeRaw`
      UPDATE webhook_deliveries d SET ${deliveredColumns(claimedUntil, attempt)}
      WHERE ${isIn(events)}`;
  }

  /**
   * Stores a failed attempt, unless the claim of the events has ended.
   * @param waitMs by number of failed attempts; null: none follows
   */
  async retry(
    { claimedUntil, events }: ClaimedMail,
    attempt: Attempt,
    waitMs: (tries: number) => number | null,
  ): Promise<void> {
    await this.prisma.$transaction(async (transaction) => {
      for (const [tries, retried] of Map.groupBy(events, (event) => event.tries)) {
        await transaction.$executeRaw`
          UPDATE webhook_deliveries d SET ${failedColumns(attempt, waitMs(tries))}
          WHERE ${isIn(retried)} AND due_at = ${claimedUntil}`;
      }
    });
  }

  async prune(): Promise<void> {
    await this.prisma.$executeRaw`DELETE FROM sent_mails WHERE sent_at < now() - interval '1 hour'`;
  }
}

async function claimFor(transaction: Transaction, address: string): Promise<ClaimedMail | undefined> {
  // One control plane at a time counts the mails of an address.
  const [{ isFree, left }] = await queryRows(transaction, room)`
    SELECT pg_try_advisory_xact_lock(hashtext('mail'), hashtext(${address})) AS "isFree", (
      SELECT ${MAILS_PER_HOUR}::int - count(*)::int FROM sent_mails
      WHERE address = ${address} AND sent_at > now() - interval '1 hour'
    ) AS left`;
  if (!isFree || left <= 0) return undefined;
  const due = await queryRows(transaction, mailedEvents)`
    ${MAIL_TARGETS}
    SELECT d.event_id AS "eventId", d.target, d.tries, e.type, e.created_at AS "createdAt", e.data
    FROM mail JOIN webhook_deliveries d ON d.target = mail.target JOIN events e ON e.id = d.event_id
    WHERE mail.address = ${address} AND d.due_at <= now()
    ORDER BY e.transaction_id, e.position LIMIT ${MAX_IN_A_MAIL} FOR UPDATE OF d SKIP LOCKED`;
  const ids = [...new Set(due.map(({ eventId }) => eventId))];
  const events = ids.length > left ? due : due.filter(({ eventId }) => eventId === ids[0]);
  if (events.length === 0) return undefined;
  await transaction.$executeRaw`INSERT INTO sent_mails (address) VALUES (${address})`;
  const [{ claimedUntil }] = await queryRows(transaction, claims)`
    UPDATE webhook_deliveries d SET due_at = now() + make_interval(secs => ${LEASE_SECONDS})
    WHERE ${isIn(events)} RETURNING due_at AS "claimedUntil"`;
  return { to: address, events, claimedUntil };
}

function isIn(events: readonly Pick<MailedEvent, 'eventId' | 'target'>[]): Prisma.Sql {
  return Prisma.sql`(d.event_id, d.target) IN (
    SELECT * FROM unnest(${events.map(({ eventId }) => eventId)}::text[], ${events.map(({ target }) => target)}::text[])
  )`;
}
