import type { GetTotalUsageRequestMessage } from '@model-gateway/contracts';
import { z } from 'zod';
import { invalidArgument } from '../errors/control-plane-error.ts';
import type { Period } from '../roll-ups/usage-sums-store.ts';
import { askedPeriod, widenedPeriod } from './usage-question.ts';

const GROUPINGS = ['account', 'team', 'seat', 'key', 'model'] as const;
export type TotalGrouping = (typeof GROUPINGS)[number];

export interface TotalPlace {
  charged: bigint;
  requests: bigint;
  id: string;
}

export interface TotalUsageQuestion {
  period: Period;
  groupBy: TotalGrouping;
  limit: number;
  /** Last group of the previous page; undefined: start with the most expensive. */
  after: TotalPlace | undefined;
}

const MAX_LIMIT = 1_000;
const count = z
  .string()
  .regex(/^\d{1,19}$/)
  .transform(BigInt);
const place = z.tuple([
  count,
  count,
  z
    .string()
    .max(1_000)
    .refine((text) => !text.includes('\0')),
]);

/**
 * @param minutesSince start of a day in Unix seconds; no minute sums before it
 * @throws ControlPlaneError invalid_argument
 */
export function totalUsageQuestion(
  request: GetTotalUsageRequestMessage,
  minutesSince: number,
): TotalUsageQuestion {
  const groupBy = GROUPINGS.find((each) => each === request.groupBy);
  if (groupBy === undefined) throw invalidArgument(`group_by must be one of ${GROUPINGS.join(', ')}`);
  if (request.limit < 1 || request.limit > MAX_LIMIT)
    throw invalidArgument(`limit must be 1 to ${MAX_LIMIT}`);
  return {
    period: widenedPeriod(askedPeriod(request), minutesSince),
    groupBy,
    limit: request.limit,
    after: request.pageToken === undefined ? undefined : decodeTotalPlace(request.pageToken),
  };
}

/** @returns an opaque token */
export function encodeTotalPlace({ charged, requests, id }: TotalPlace): string {
  return Buffer.from(JSON.stringify([String(charged), String(requests), id])).toString('base64url');
}

function decodeTotalPlace(token: string): TotalPlace {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(token, 'base64url').toString());
  } catch {
    value = undefined;
  }
  const { data } = place.safeParse(value);
  if (data === undefined)
    throw invalidArgument('page_token must be one of an earlier answer to the same question');
  const [charged, requests, id] = data;
  return { charged, requests, id };
}
