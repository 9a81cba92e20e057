import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';
import { selectRememberedMinutes } from './health-store.ts';

const rows = z.array(z.object({ kind: z.enum(['model', 'provider']), id: z.string(), since: z.date() }));

export interface TroublesSince {
  models: ReadonlyMap<string, Date>;
  providers: ReadonlyMap<string, Date>;
}

export class TroubleStore extends PrismaStore {
  /**
   * Finds when the current trouble of each id began. In a bad minute 5 % of requests, or of a provider's
   * attempts, failed or were given up. Trouble goes on to the next bad minute if no good one lies between, or
   * if it is at most five minutes away. Leaves out ids without a bad minute.
   */
  async since(models: readonly string[], providers: readonly string[]): Promise<TroublesSince> {
    const found = await this.query(rows)`
      WITH remembered AS NOT MATERIALIZED (${selectRememberedMinutes()}), counts AS (
        SELECT 'model' AS kind, model_id AS id, minute, requests AS total, failed_requests + gave_up AS bad
        FROM remembered WHERE model_id = ANY(${[...models]}::text[])
        UNION ALL
        SELECT 'provider', provider_id, minute, attempts, failed_attempts + gave_up
        FROM remembered WHERE provider_id = ANY(${[...providers]}::text[])
      ), minutes AS (
        SELECT kind, id, minute, sum(bad) * 20 >= sum(total) AS is_bad
        FROM counts GROUP BY kind, id, minute HAVING sum(total) > 0
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
