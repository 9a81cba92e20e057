import type { ListDailyUsageRequestMessage } from '@model-gateway/contracts';
import { z } from 'zod';
import { failedPrecondition, invalidArgument } from '../errors/control-plane-error.ts';
import { omitAbsent } from '../omit-absent.ts';
import type { DailyCursor, DailyRow, DailyUsageStore } from './daily-usage-store.ts';
import { unitsMessage } from './units-message.ts';

const MAX_LIMIT = 1_000;
const DAY_SECONDS = 86_400;
const name = z.string().refine((text) => !text.includes('\0'));
const cursor = z.tuple([z.iso.datetime(), name, name, name, name]);

/**
 * Returns one page of the usage of all keys by day.
 * @throws ControlPlaneError invalid_argument; failed_precondition if a day is not summed up yet
 */
export async function listDailyUsage(
  { dailyUsageStore }: { dailyUsageStore: Pick<DailyUsageStore, 'list' | 'summedUntil'> },
  request: ListDailyUsageRequestMessage,
  signal: AbortSignal,
) {
  const { limit } = request;
  const [start, end] = [Number(request.startTime), Number(request.endTime)];
  if (start % DAY_SECONDS !== 0 || end % DAY_SECONDS !== 0 || start < 0 || start >= end)
    throw invalidArgument('start_time and end_time must be midnights (UTC), start_time first');
  if (limit < 1 || limit > MAX_LIMIT) throw invalidArgument(`limit must be 1 to ${MAX_LIMIT}`);
  const summedUntil = await dailyUsageStore.summedUntil(signal);
  if (summedUntil === undefined || summedUntil.getTime() < end * 1_000)
    throw failedPrecondition(
      'the last day has not ended, or its sums are not ready: ask for earlier days, or retry in some minutes',
    );
  const rows = await dailyUsageStore.list(
    { start: new Date(start * 1_000), end: new Date(end * 1_000), limit, after: cursorOf(request.pageToken) },
    signal,
  );
  const last = rows.length < limit ? undefined : rows.at(-1);
  return { usage: rows.map(dailyMessage), ...omitAbsent({ nextPageToken: last && encodeCursor(last) }) };
}

function dailyMessage(row: DailyRow) {
  const { accountEmail, accountId, keyId, keyName, modelId, seatId } = row;
  return {
    startTime: String(row.day.getTime() / 1_000),
    owner: { accountId, ...(seatId === '' ? {} : { seatId }) },
    keyId,
    modelId,
    requests: String(row.requests),
    units: unitsMessage(row),
    charged: String(row.charged),
    providerCost: String(row.providerCost),
    ...omitAbsent({ accountEmail, keyName }),
  };
}

function encodeCursor({ accountId, day, keyId, modelId, seatId }: DailyRow): string {
  return Buffer.from(JSON.stringify([day.toISOString(), accountId, seatId, keyId, modelId])).toString(
    'base64url',
  );
}

function cursorOf(token: string | undefined): DailyCursor | undefined {
  if (token === undefined) return undefined;
  try {
    return cursor.parse(JSON.parse(Buffer.from(token, 'base64url').toString()));
  } catch {
    throw invalidArgument('page_token must come from an earlier page');
  }
}
