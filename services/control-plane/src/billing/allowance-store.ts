import { arrayLiteral } from '@model-gateway/database';
import { encodeLevel, type Payer } from '@model-gateway/shared';
import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';

/**
 * A data plane uses an allowance for at most 8 s after the ping that renewed its 3.5 s lease. This long after
 * the lease ends, nobody uses it: an allowance ends 10 s after its data plane was last heard.
 */
const GRACE = '6500 milliseconds';
/** Any other call about an allowance also shows that its data plane lives. */
const LIFE = '10 seconds';
/** Closed allowances stay this long, so that a late call learns that its allowance is closed. */
const FORGET_AFTER = '1 day';
const SWEEP_LIMIT = 200;
/** Exceeds the longest window, a month, and the time in which late reports are charged to it. */
const KEEP_WINDOWS = '62 days';
/** Refused requests add windows, too, such as those of made-up end users: they go after this time. */
const KEEP_UNUSED_WINDOWS = '1 day';
/** In an older window, money was held when it was due. Bounds what a deletion reads. */
const FIND_UNUSED_WINDOWS = '3 days';

const recall = z.object({ allowanceId: z.string(), recall: z.int() });
/** Asks the data plane that has the allowance how much of it is unused. */
export type Recall = z.infer<typeof recall>;
export const recalls = z.array(recall);

const grants = z.tuple([
  z.object({
    lapsed: z.boolean(),
    closed: z.boolean(),
    granted: z.bigint(),
    covered: z.int(),
    exact: z.boolean(),
    recall: z.int(),
    /** Recalls sent to other data planes, because the pools do not cover even the first need. */
    recalls,
    available: z.bigint(),
    held: z.bigint(),
    resetsAt: z.date().nullable(),
    /** Cost of ended requests beyond all pools; above 0, the payer gets one request at a time. */
    uncollected: z.bigint(),
    /** The budget that refuses the first need; null: none. Amounts as text: JSON would round them. */
    short: z.object({ id: z.string(), size: z.string(), room: z.string(), held: z.string() }).nullable(),
    /** Windows exceeded for the first time. */
    exceeded: z.array(z.string()),
  }),
]);
export type Grant = z.infer<typeof grants>[0];

/** Has no row for payers that grant_allowances skips. */
const grantsOfMany = z.array(z.object({ allowanceId: z.string(), granted: z.bigint(), recall: z.int() }));
export type GrantOfMany = z.infer<typeof grantsOfMany>[number];

/** Request for one payer; amounts in nano-USD. */
export interface AllowanceRequest {
  id: string;
  payer: Payer;
  /** Windows of budgets that its money counts in. */
  budgets: readonly string[];
  /** Covered in this order. */
  needs: readonly bigint[];
  spare: bigint;
  /** Total ever returned. */
  returned: bigint;
}

/** Unused money that a data plane returns from one allowance; amounts in nano-USD. */
export interface ReturnedMoney {
  returned: bigint;
  /** Recall being answered; 0: none. */
  recall: number;
  close: boolean;
  /** Total granted, as far as the data plane knows. */
  granted: bigint;
}

const ids = z.array(z.object({ id: z.string() }));

/** Money set aside for data planes. Only the SQL functions in prisma/functions move it. */
export class AllowanceStore extends PrismaStore {
  async acquire(
    instanceId: string,
    { id, payer, budgets, needs, spare, returned }: AllowanceRequest,
  ): Promise<Grant> {
    const levels = payer.map(encodeLevel);
    const [grant] = await this.query(grants)`
      SELECT lapsed, closed, granted, covered, exact, recall, recalls, available, held,
        resets_at AS "resetsAt", short, exceeded, uncollected_of(${levels}::text[]) AS uncollected
      FROM grant_allowance(
        ${id}, ${instanceId}, ${levels}::text[], ${[...budgets]}::text[],
        ${[...needs]}::bigint[], ${spare}::bigint, ${returned}::bigint
      )`;
    return grant;
  }

  /** Grants in one statement, without waiting. @returns nothing for those left out */
  async acquireMany(instanceId: string, wanted: readonly AllowanceRequest[]): Promise<GrantOfMany[]> {
    return await this.query(grantsOfMany)`
      SELECT * FROM grant_allowances(
        ${instanceId}, ${wanted.map(({ id }) => id)}::text[],
        ${wanted.map(({ payer }) => arrayLiteral(payer.map(encodeLevel)))}::text[],
        ${wanted.map(({ budgets }) => arrayLiteral(budgets))}::text[],
        ${wanted.map(({ needs }) => needs.reduce((sum, need) => sum + need, 0n))}::bigint[],
        ${wanted.map(({ spare }) => spare)}::bigint[], ${wanted.map(({ returned }) => returned)}::bigint[]
      )`;
  }

  async unanswered(given: readonly Recall[]): Promise<Recall[]> {
    return await this.query(recalls)`
      SELECT a.id AS "allowanceId", given.recall
      FROM unnest(
        ${given.map(({ allowanceId }) => allowanceId)}::text[], ${given.map(({ recall }) => recall)}::int[]
      ) AS given (id, recall)
      JOIN allowances a ON a.id = given.id
      WHERE a.closed_at IS NULL AND a.answered < given.recall`;
  }

  /**
   * Recalls unused money within budgets that hold more than their limit, because it was lowered or a raise
   * has ended. Skips locked allowances; the next call finds them.
   */
  async recallOverBudget(): Promise<void> {
    await this.prisma.$executeRaw`
      WITH recalled AS (
        UPDATE allowances SET recall = greatest(recall, answered + 1) WHERE id IN (
          SELECT a.id FROM allowances a
          WHERE a.closed_at IS NULL AND a.budgets <> '{}' AND NOT a.exact AND recall = answered AND EXISTS (
            SELECT FROM budget_rooms(a.budgets) WHERE NOT warns AND room < 0
          )
          FOR UPDATE SKIP LOCKED
        ) RETURNING id
      )
      SELECT pg_notify('gateway_recalls', '') WHERE EXISTS (SELECT FROM recalled)`;
  }

  async openRecallsOf(instanceIds: readonly string[]): Promise<(Recall & { instanceId: string })[]> {
    return await this.query(z.array(recall.extend({ instanceId: z.string() })))`
      SELECT id AS "allowanceId", recall, instance_id AS "instanceId" FROM allowances
      WHERE closed_at IS NULL AND recall > answered AND instance_id = ANY(${[...instanceIds]}::text[])`;
  }

  async returnUnused(
    id: string,
    { returned, recall, close, granted }: ReturnedMoney,
  ): Promise<{ granted: bigint; closed: boolean }> {
    const [answer] = await this.query(z.tuple([z.object({ granted: z.bigint(), closed: z.boolean() })]))`
      SELECT granted, closed
      FROM return_allowance(${id}, ${returned}::bigint, ${recall}::int, ${close}, ${granted}::bigint)`;
    return answer;
  }

  /** Takes money back in one statement, without waiting. @returns nothing for those left out */
  async returnUnusedMany(
    given: readonly (Pick<ReturnedMoney, 'returned' | 'close'> & { id: string })[],
  ): Promise<{ allowanceId: string; granted: bigint; closed: boolean }[]> {
    return await this.query(
      z.array(z.object({ allowanceId: z.string(), granted: z.bigint(), closed: z.boolean() })),
    )`
        SELECT * FROM return_allowances(
          ${given.map(({ id }) => id)}::text[], ${given.map(({ returned }) => returned)}::bigint[],
          ${given.map(({ close }) => close)}::boolean[]
        )`;
  }

  /** Returns a batch of allowances whose data plane is gone. */
  async expired(): Promise<string[]> {
    const rows = await this.query(ids)`
      SELECT a.id FROM allowances a
      WHERE a.closed_at IS NULL AND a.used_at < now() - ${LIFE}::interval AND NOT EXISTS (
        SELECT FROM key_watchers w
        WHERE w.instance_id = a.instance_id AND w.lease_until > now() - ${GRACE}::interval
      )
      ORDER BY a.id LIMIT ${SWEEP_LIMIT}`;
    return rows.map(({ id }) => id);
  }

  /**
   * Closes an allowance whose data plane is gone, unless it came back. Bills its open streams up to their
   * last checkpoint.
   */
  async closeExpired(id: string): Promise<void> {
    await this.prisma.$executeRaw`SELECT close_expired_allowance(${id}, ${GRACE}::interval)`;
  }

  /** Resets pools past their month, and removes expired ones. */
  async resetDuePools(): Promise<void> {
    await this.prisma.$executeRaw`
      SELECT lock_pools(array_agg(id)) FROM (
        (SELECT id FROM pools WHERE resets_at <= now() ORDER BY resets_at LIMIT ${SWEEP_LIMIT})
        UNION
        (SELECT id FROM pools WHERE removed_at IS NULL AND expires_at <= now() LIMIT ${SWEEP_LIMIT})
      ) AS due HAVING count(*) > 0`;
  }

  /**
   * Deletes old closed allowances, checkpoints whose request was settled elsewhere, and windows of budgets
   * that ended long ago or in which nothing was spent. Skips locked rows.
   */
  async prune(): Promise<void> {
    await this.prisma.$executeRaw`
      DELETE FROM usage_checkpoints WHERE request_id IN (
        SELECT c.request_id
        FROM usage_checkpoints c, LATERAL (
          -- With a limit, Postgres looks each of them up instead of reading all usage records.
          SELECT FROM usage_records r
          WHERE r.request_id = c.request_id AND r.arrival IN ('', arrival_of(c.request_id)) LIMIT 1
        ) AS stored
        FOR UPDATE OF c SKIP LOCKED
      )`;
    await this.prisma.$executeRaw`
      DELETE FROM usage_checkpoints WHERE request_id IN (
        SELECT request_id FROM usage_checkpoints WHERE updated_at < now() - ${FORGET_AFTER}::interval
        FOR UPDATE SKIP LOCKED
      )`;
    await this.prisma.$executeRaw`
      DELETE FROM allowances WHERE id IN (
        SELECT id FROM allowances WHERE closed_at < now() - ${FORGET_AFTER}::interval FOR UPDATE SKIP LOCKED
      )`;
    await this.prisma.$executeRaw`
      DELETE FROM budget_windows WHERE id IN (
        SELECT id FROM budget_windows
        WHERE created_at < now() - ${KEEP_WINDOWS}::interval AND held = 0 AND split_part(id, '/', 2) <> 'total'
        LIMIT 10000 FOR UPDATE SKIP LOCKED
      )`;
    await this.prisma.$executeRaw`
      DELETE FROM budget_windows WHERE id IN (
        SELECT id FROM budget_windows
        WHERE created_at < now() - ${KEEP_UNUSED_WINDOWS}::interval
          AND created_at > now() - ${FIND_UNUSED_WINDOWS}::interval AND held = 0 AND spent = 0
        LIMIT 10000 FOR UPDATE SKIP LOCKED
      )`;
  }
}
