import { arrayLiteral } from '@model-gateway/database';
import { encodeLevel, type Payer } from '@model-gateway/shared';
import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';

/**
 * A data plane may use an allowance for 8 s after it sent the ping that renewed its lease. The lease is
 * written after that ping, for 3.5 s. So this long after the end of the lease nobody uses the allowance any
 * more, and an allowance ends 10 s after its data plane was last heard.
 */
const GRACE = '6500 milliseconds';
/** Any other call about an allowance also shows that its data plane lives. */
const LIFE = '10 seconds';
/** Closed allowances are kept, so that a call that arrives late is told about the end. */
const FORGET_AFTER = '1 day';
const SWEEP_LIMIT = 200;

const recall = z.object({ allowanceId: z.string(), recall: z.int() });
/** A question to the data plane that has the allowance: how much of it is not used? */
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
    /** Questions that other data planes were asked, because the pools do not even cover the first need. */
    recalls,
    available: z.bigint(),
    held: z.bigint(),
    resetsAt: z.date().nullable(),
  }),
]);
/** The answer of the SQL function acquire_allowance. */
export type Grant = z.infer<typeof grants>[0];

/** What the SQL function acquire_allowances answers about those that are not left out. */
const grantsOfMany = z.array(z.object({ allowanceId: z.string(), granted: z.bigint(), recall: z.int() }));
export type GrantOfMany = z.infer<typeof grantsOfMany>[number];

/** What is asked for one payer; amounts are in nano-USD. */
export interface AskedAllowance {
  id: string;
  payer: Payer;
  /** Covered from the first one on. */
  needs: readonly bigint[];
  spare: bigint;
  /** Everything that was ever given back. */
  returned: bigint;
}

/** What is given back of one allowance; amounts are in nano-USD. */
export interface GivenBack {
  /** Everything that was ever given back. */
  returned: bigint;
  /** The recall that this answers; 0: none. */
  recall: number;
  close: boolean;
  /** Everything that the data plane has been granted, as far as it knows. */
  granted: bigint;
}

const ids = z.array(z.object({ id: z.string() }));

/** The money that is set aside for data planes. Only the functions in prisma/functions move it. */
export class AllowanceStore extends PrismaStore {
  /** @param instanceId of the data plane */
  async acquire(instanceId: string, { id, payer, needs, spare, returned }: AskedAllowance): Promise<Grant> {
    const [grant] = grants.parse(
      await this.prisma.$queryRaw`
        SELECT lapsed, closed, granted, covered, exact, recall, recalls, available, held,
          resets_at AS "resetsAt"
        FROM acquire_allowance(
          ${id}, ${instanceId}, ${payer.map(encodeLevel)}::text[],
          ${[...needs]}::bigint[], ${spare}::bigint, ${returned}::bigint
        )`,
    );
    return grant;
  }

  /** Grants in one statement what needs not be waited for. @returns nothing about those that are left out */
  async acquireMany(instanceId: string, asked: readonly AskedAllowance[]): Promise<GrantOfMany[]> {
    return grantsOfMany.parse(
      await this.prisma.$queryRaw`
        SELECT * FROM acquire_allowances(
          ${instanceId}, ${asked.map(({ id }) => id)}::text[],
          ${asked.map(({ payer }) => arrayLiteral(payer.map(encodeLevel)))}::text[],
          ${asked.map(({ needs }) => needs.reduce((sum, need) => sum + need, 0n))}::bigint[],
          ${asked.map(({ spare }) => spare)}::bigint[], ${asked.map(({ returned }) => returned)}::bigint[]
        )`,
    );
  }

  /** Returns those of the given recalls that are not answered yet. */
  async unanswered(given: readonly Recall[]): Promise<Recall[]> {
    return recalls.parse(
      await this.prisma.$queryRaw`
        SELECT a.id AS "allowanceId", given.recall
        FROM unnest(
          ${given.map(({ allowanceId }) => allowanceId)}::text[], ${given.map(({ recall }) => recall)}::int[]
        ) AS given (id, recall)
        JOIN allowances a ON a.id = given.id
        WHERE a.closed_at IS NULL AND a.answered < given.recall`,
    );
  }

  /** Returns the recalls that these data planes have not answered. */
  async outstandingOf(instanceIds: readonly string[]): Promise<(Recall & { instanceId: string })[]> {
    return z.array(recall.extend({ instanceId: z.string() })).parse(
      await this.prisma.$queryRaw`
        SELECT id AS "allowanceId", recall, instance_id AS "instanceId" FROM allowances
        WHERE closed_at IS NULL AND recall > answered AND instance_id = ANY(${[...instanceIds]}::text[])`,
    );
  }

  async giveBack(
    id: string,
    { returned, recall, close, granted }: GivenBack,
  ): Promise<{ granted: bigint; closed: boolean }> {
    const [answer] = z.tuple([z.object({ granted: z.bigint(), closed: z.boolean() })]).parse(
      await this.prisma.$queryRaw`
        SELECT granted, closed
        FROM return_allowance(${id}, ${returned}::bigint, ${recall}::int, ${close}, ${granted}::bigint)`,
    );
    return answer;
  }

  /** Takes back in one statement what needs not be waited for. @returns nothing about those that are left out */
  async giveBackMany(
    given: readonly (Pick<GivenBack, 'returned' | 'close'> & { id: string })[],
  ): Promise<{ allowanceId: string; granted: bigint; closed: boolean }[]> {
    return z.array(z.object({ allowanceId: z.string(), granted: z.bigint(), closed: z.boolean() })).parse(
      await this.prisma.$queryRaw`
          SELECT * FROM return_allowances(
            ${given.map(({ id }) => id)}::text[], ${given.map(({ returned }) => returned)}::bigint[],
            ${given.map(({ close }) => close)}::boolean[]
          )`,
    );
  }

  /** Returns some of the allowances whose data plane is gone. */
  async expired(): Promise<string[]> {
    const rows = ids.parse(
      await this.prisma.$queryRaw`
        SELECT a.id FROM allowances a
        WHERE a.closed_at IS NULL AND a.used_at < now() - ${LIFE}::interval AND NOT EXISTS (
          SELECT FROM key_watchers w
          WHERE w.instance_id = a.instance_id AND w.lease_until > now() - ${GRACE}::interval
        )
        ORDER BY a.id LIMIT ${SWEEP_LIMIT}`,
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Ends an allowance whose data plane is gone, unless that has come back. The requests that it was streaming
   * are billed up to their last known state.
   */
  async closeExpired(id: string): Promise<void> {
    await this.prisma.$executeRaw`SELECT close_expired_allowance(${id}, ${GRACE}::interval)`;
  }

  /** Fills the pools whose month is over. */
  async resetDuePools(): Promise<void> {
    await this.prisma.$executeRaw`
      SELECT lock_pools(array_agg(id)) FROM (
        SELECT id FROM pools WHERE resets_at <= now() ORDER BY resets_at LIMIT ${SWEEP_LIMIT}
      ) AS due HAVING count(*) > 0`;
  }

  /**
   * Forgets allowances that ended long ago, and checkpoints that were stored while their request was settled
   * elsewhere. What somebody else has locked is left for the next time.
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
  }
}
