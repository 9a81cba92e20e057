import { encodeLevel, type KeyOwner, type Payer, type Unit, type Units } from '@model-gateway/shared';
import { arrayLiteral } from './array-literal.ts';
import { Prisma, type PrismaClient } from './generated/client.ts';

/** An attempt in the form that usage records store. */
interface SettledAttempt {
  providerId: string;
  /** Absent: the request's model. */
  modelId?: string | undefined;
  httpStatus: number | null;
  errorCode: string | null;
  durationMs: number;
  /** What the provider may bill for a response that was not used; absent: nothing. */
  estimatedUnits?: Units | undefined;
  /** Its cost in nano-USD. */
  estimatedCost?: string | undefined;
  /** Id that the provider gave the attempt; absent: none. */
  providerRequestId?: string | undefined;
  /** Unix milliseconds, by the data plane's clock; absent: not reported. */
  endedAtMs?: number | undefined;
  timeToFirstTokenMs?: number | null;
  /** Variable of the credential used. */
  credentialEnv?: string | undefined;
  /** Describes what the provider did, for the caller; `operatorError`: for operators, if it says more. */
  error?: string | undefined;
  operatorError?: string | undefined;
}

/** Parameters of settle_usage and columns of checkpoints. Absent units are 0. */
export interface SettledRecord extends Partial<Units>, KeyOwner {
  requestId: string;
  allowanceId?: string | null | undefined;
  payer: Payer;
  keyId: string;
  modelId: string;
  capability: string;
  /** Null or absent: free of charge. */
  priceVersion?: number | null | undefined;
  /** Null or absent: charged at the prices of the catalog. */
  priceListVersion?: number | null | undefined;
  /** Tier that the provider used; null or absent: its standard one. */
  serviceTier?: string | null | undefined;
  /** Consumption per model, where several answered. */
  parts?: readonly object[] | null | undefined;
  /** Null or absent: nothing was consumed. */
  usageSource?: string | null | undefined;
  billingReason: string;
  /** Nano-USD, like `cost`. */
  held: string;
  cost: string;
  /** What the provider charges; null or absent: the same as `cost`. */
  providerCost?: string | null | undefined;
  /** Estimated cost of attempts whose responses were not used; null or absent: none. */
  attemptsCost?: string | null | undefined;
  attempts: readonly SettledAttempt[];
  /** ISO 8601. */
  endedAt: string;
  clientStatus?: number | null | undefined;
  clientErrorCode?: string | null | undefined;
  tags?: Readonly<Record<string, string>> | null | undefined;
  endUser?: string | null | undefined;
  session?: string | null | undefined;
  affinity?: string | null | undefined;
  /** Budgets that money was reserved from, as in the proto. */
  budgets?: readonly string[] | null | undefined;
  /** How another data plane can follow the response; null or absent: none can. */
  followed?: string | null | undefined;
}

/** Order of units in settle_usage. */
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

type Value = string | number | null | undefined;

/** Array parameter of settle_usage, one element per record. */
export interface SettledColumn {
  /** Column of usage_checkpoints. */
  name: string;
  type: 'text[]' | 'int[]' | 'bigint[]' | 'jsonb[]' | 'timestamptz[]';
  literal: string;
}

/**
 * Returns the parameters of settle_usage in order, except for the last: one array per column, because
 * Postgres would parse JSON for twice as long as it stores the records. `units` joins those of all records.
 */
export function settledColumns(given: readonly SettledRecord[]): SettledColumn[] {
  const records = inOrder(given);
  const column = (
    name: string,
    type: SettledColumn['type'],
    read: (record: SettledRecord) => Value,
  ): SettledColumn => ({ name, type, literal: arrayLiteral(records.map(read)) });
  return [
    column('request_id', 'text[]', (record) => record.requestId),
    column('allowance_id', 'text[]', (record) => record.allowanceId),
    column('payer', 'text[]', (record) => arrayLiteral(record.payer.map(encodeLevel))),
    column('account_id', 'text[]', (record) => record.accountId),
    column('seat_id', 'text[]', (record) => record.seatId),
    column('team_id', 'text[]', (record) => record.teamId),
    column('key_id', 'text[]', (record) => record.keyId),
    column('model_id', 'text[]', (record) => record.modelId),
    column('capability', 'text[]', (record) => record.capability),
    column('price_version', 'int[]', (record) => record.priceVersion),
    { name: 'units', type: 'bigint[]', literal: arrayLiteral(records.flatMap(unitsOf)) },
    column('parts', 'jsonb[]', (record) => record.parts && JSON.stringify(record.parts)),
    column('usage_source', 'text[]', (record) => record.usageSource),
    column('billing_reason', 'text[]', (record) => record.billingReason),
    column('held', 'bigint[]', (record) => record.held),
    column('cost', 'bigint[]', (record) => record.cost),
    column('attempts', 'jsonb[]', (record) => JSON.stringify(record.attempts)),
    column('ended_at', 'timestamptz[]', (record) => record.endedAt),
    column('client_status', 'int[]', (record) => record.clientStatus),
    column('client_error_code', 'text[]', (record) => record.clientErrorCode),
    column('tags', 'jsonb[]', (record) => record.tags && JSON.stringify(record.tags)),
    column('end_user', 'text[]', (record) => record.endUser),
    column('session', 'text[]', (record) => record.session),
    column('affinity', 'text[]', (record) => record.affinity),
    column('budgets', 'text[]', (record) => record.budgets && arrayLiteral(record.budgets)),
    column('price_list_version', 'int[]', (record) => record.priceListVersion),
    column('provider_cost', 'bigint[]', (record) => record.providerCost),
    column('attempts_cost', 'bigint[]', (record) => record.attemptsCost),
    column('service_tier', 'text[]', (record) => record.serviceTier),
  ];
}

/** Returns the columns of checkpoints, which are also the parameters of hand_over_usage. */
export function checkpointColumns(records: readonly SettledRecord[]): SettledColumn[] {
  const followed = arrayLiteral(inOrder(records).map((record) => record.followed));
  return [...settledColumns(records), { name: 'followed', type: 'text[]', literal: followed }];
}

/** Stores and charges ended requests in one statement, once each. Sums follow within a minute. */
export async function settleRecords(
  client: Pick<PrismaClient, '$executeRaw'>,
  records: readonly SettledRecord[],
): Promise<void> {
  await client.$executeRaw`SELECT settle_usage(${parameters(settledColumns(records))}, false)`;
}

/** Stores and charges requests provisionally, so that other data planes can follow their responses. */
export async function handOverRequests(
  client: Pick<PrismaClient, '$executeRaw'>,
  records: readonly SettledRecord[],
): Promise<void> {
  await client.$executeRaw`SELECT hand_over_usage(${parameters(checkpointColumns(records))})`;
}

function parameters(columns: readonly SettledColumn[]) {
  return Prisma.join(columns.map(({ type, literal }) => Prisma.sql`${literal}::${Prisma.raw(type)}`));
}

function unitsOf(record: SettledRecord): number[] {
  return SETTLED_UNITS.map((unit) => record[unit] ?? 0);
}

/** Sorts by bytes, so that all callers lock in one order. Keeps the first of equal ids. */
function inOrder(records: readonly SettledRecord[]): SettledRecord[] {
  const byId = new Map(records.toReversed().map((record) => [record.requestId, record]));
  return [...byId.values()].sort((a, b) => (a.requestId < b.requestId ? -1 : 1));
}
