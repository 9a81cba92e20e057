import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';

const rows = z.array(z.object({ kind: z.enum(['model', 'provider']), id: z.string(), since: z.date() }));

export interface TroublesSince {
  models: ReadonlyMap<string, Date>;
  providers: ReadonlyMap<string, Date>;
}

export class TroubleStore extends PrismaStore {
  /**
   * Finds troubles: bad minutes (5 % of requests, or of a provider's attempts, failed or were given up) in
   * sequence, with no good minute between them or at most five minutes apart. Leaves out ids without a bad
   * minute.
   */
  async since(models: readonly string[], providers: readonly string[]): Promise<TroublesSince> {
    const found = await this.query(rows)`
      WITH remembered AS NOT MATERIALIZED (
        SELECT model_id, provider_id, minute, attempts, failed_attempts, requests, failed_requests, gave_up
        FROM model_minutes
        UNION ALL
        SELECT model_id, provider_id, minute, attempts, failed_attempts, requests, failed_requests, gave_up
        FROM model_last_minutes
      ), counts AS (
        SELECT 'model' AS kind, model_id AS id, minute, requests AS asked, failed_requests + gave_up AS bad
        FROM remembered WHERE model_id = ANY(${[...models]}::text[])
        UNION ALL
        SELECT 'provider', provider_id, minute, attempts, failed_attempts + gave_up
        FROM remembered WHERE provider_id = ANY(${[...providers]}::text[])
      ), minutes AS (
        SELECT kind, id, minute, sum(bad) * 20 >= sum(asked) AS is_bad
        FROM counts GROUP BY kind, id, minute HAVING sum(asked) > 0
      ), with_good_ones AS (
        SELECT *,
          count(*) FILTER (WHERE NOT is_bad) OVER (PARTITION BY kind, id ORDER BY minute) AS good_ones
        FROM minutes
      ), bad_ones AS (
        SELECT kind, id, minute,
          minute - lag(minute) OVER earlier <= interval '5 minutes'
            OR good_ones = lag(good_ones) OVER earlier AS goes_on
        FROM with_good_ones WHERE is_bad WINDOW earlier AS (PARTITION BY kind, id ORDER BY minute)
      )
      SELECT kind, id, max(minute) FILTER (WHERE goes_on IS NOT TRUE) AS since
      FROM bad_ones GROUP BY kind, id`;
    const byId = (wanted: string) =>
      new Map(found.flatMap(({ kind, id, since }) => (kind === wanted ? [[id, since] as const] : [])));
    return { models: byId('model'), providers: byId('provider') };
  }
}
