import { arrayLiteral } from '@model-gateway/database';
import type { Unit } from '@model-gateway/shared';
import type { UsageRow } from './usage-row.ts';

/** The units of a request in the order in which the SQL function settle_records takes them. */
export const SETTLED_UNITS = [
  'inputTokens',
  'cachedInputTokens',
  'outputTokens',
  'images',
  'characters',
  'audioMs',
  'searchUnits',
  'cacheWriteTokens',
  'cacheWrite1hTokens',
  'audioInputTokens',
  'imageInputTokens',
  'reasoningTokens',
  'audioOutputTokens',
  'imageOutputTokens',
  'webSearchRequests',
  'toolCalls',
] as const satisfies readonly Unit[];

type Value = string | number | undefined;

/** A parameter of settle_records, which has an element for each row. */
export interface SettledColumn {
  type: 'text[]' | 'int[]' | 'bigint[]' | 'jsonb[]' | 'timestamptz[]';
  literal: string;
}

/**
 * Returns the parameters of the SQL function settle_records, in their order, but for the last one. One array
 * for each column is what Postgres reads fastest: JSON costs it twice as much as storing the records does.
 */
export function settledColumns(given: readonly UsageRow[]): SettledColumn[] {
  const rows = inOrder(given);
  const column = (type: SettledColumn['type'], read: (row: UsageRow) => Value): SettledColumn => ({
    type,
    literal: arrayLiteral(rows.map(read)),
  });
  return [
    column('text[]', (row) => row.requestId),
    column('text[]', (row) => row.allowanceId),
    column('text[]', (row) => row.accountId),
    column('text[]', (row) => row.seatId),
    column('text[]', (row) => row.teamId),
    column('text[]', (row) => row.keyId),
    column('text[]', (row) => row.modelId),
    column('text[]', (row) => row.capability),
    column('int[]', (row) => row.priceVersion),
    { type: 'bigint[]', literal: arrayLiteral(rows.flatMap(unitsOf)) },
    column('jsonb[]', (row) => row.parts && JSON.stringify(row.parts)),
    column('text[]', (row) => row.usageSource),
    column('text[]', (row) => row.billingReason),
    column('bigint[]', (row) => row.held),
    column('bigint[]', (row) => row.cost),
    column('jsonb[]', (row) => JSON.stringify(row.attempts)),
    column('timestamptz[]', (row) => row.endedAt),
    column('int[]', (row) => row.clientStatus),
    column('text[]', (row) => row.clientErrorCode),
  ];
}

function unitsOf(row: UsageRow): number[] {
  return SETTLED_UNITS.map((unit) => row[unit] ?? 0);
}

/** Sorts by the bytes of the ids, so that all callers lock in one order. Of the same request, the first counts. */
function inOrder(rows: readonly UsageRow[]): UsageRow[] {
  const byId = new Map(rows.toReversed().map((row) => [row.requestId, row]));
  return [...byId.values()].sort((a, b) => (a.requestId < b.requestId ? -1 : 1));
}
