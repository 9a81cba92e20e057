import { z } from 'zod';
import { ReadingStore } from '../database/reading-store.ts';

/** Period in which a model must have been used. */
const AFFECTED_DAYS = 30;
/** Rules that are listed; the others are counted. */
const MAX_RULES = 20;

const usedRows = z.array(
  z.object({
    modelId: z.string().nullable(),
    accounts: z.coerce.number().int(),
    keys: z.coerce.number().int(),
  }),
);
const ruleRows = z.array(z.object({ owner: z.string(), total: z.coerce.number().int() }));

export interface AffectedUsers {
  accounts: number;
  keys: number;
  /** By model; without models that nobody used. */
  models: { modelId: string; accounts: number; keys: number }[];
}

/** Finds who is affected by a change of models. Reads daily sums, which lag by some minutes. */
export class AffectedStore extends ReadingStore {
  /** Counts the accounts and keys that used these models lately. */
  async users(modelIds: readonly string[], signal: AbortSignal): Promise<AffectedUsers> {
    if (modelIds.length === 0) return { accounts: 0, keys: 0, models: [] };
    const rows = await this.query(usedRows, signal)`
      SELECT model_id AS "modelId", count(DISTINCT account_id) AS accounts, count(DISTINCT key_id) AS keys
      FROM usage_rollups
      WHERE width = 86400 AND model_id = ANY(${[...modelIds]}::text[])
        AND bucket >= date_trunc('day', now(), 'UTC') - ${AFFECTED_DAYS}::int * interval '1 day'
      GROUP BY GROUPING SETS ((model_id), ()) ORDER BY accounts DESC, model_id`;
    const total = rows.find(({ modelId }) => modelId === null);
    return {
      accounts: total?.accounts ?? 0,
      keys: total?.keys ?? 0,
      models: rows.flatMap(({ modelId, ...counts }) => (modelId === null ? [] : [{ modelId, ...counts }])),
    };
  }

  /** Finds rules that name one of these models or providers, and not only a pattern. */
  async rules(
    modelNames: readonly string[],
    providerIds: readonly string[],
    signal: AbortSignal,
  ): Promise<{ total: number; owners: string[] }> {
    if (modelNames.length + providerIds.length === 0) return { total: 0, owners: [] };
    const rows = await this.query(ruleRows, signal)`
      SELECT owner, count(*) OVER () AS total FROM rules
      WHERE rules -> 'models' ?| ${[...modelNames]}::text[] OR rules -> 'providers' ?| ${[...providerIds]}::text[]
      ORDER BY owner LIMIT ${MAX_RULES}`;
    return { total: rows[0]?.total ?? 0, owners: rows.map(({ owner }) => owner) };
  }
}
