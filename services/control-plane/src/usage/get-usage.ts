import type { GetUsageRequestMessage } from '@model-gateway/contracts';
import { addUnitSums, NO_UNIT_SUMS } from '@model-gateway/shared';
import { poolMessage } from '../pools/pool-message.ts';
import type { PoolStore } from '../pools/pool-store.ts';
import { bucketOf, bucketPage } from './bucket-page.ts';
import { coverPeriod, type Period } from './cover-period.ts';
import { unitsMessage } from './units-message.ts';
import { type UsageQuestion, usageQuestion } from './usage-question.ts';
import type { UsagePiece, UsageStore, UsageSumRow, UsageSums } from './usage-store.ts';

const NOTHING: UsageSums = { ...NO_UNIT_SUMS, requests: 0n, charged: 0n };

export interface GetUsageContext {
  usageStore: UsageStore;
  poolStore: Pick<PoolStore, 'ofPayer'>;
}

/** @throws ControlPlaneError invalid_argument */
export async function getUsage({ usageStore, poolStore }: GetUsageContext, request: GetUsageRequestMessage) {
  const question = usageQuestion(request, usageStore.minutesSince);
  const { period, width } = question;
  const { buckets, nextPageStart } = bucketPage(period, question);
  const [rows, pools] = await Promise.all([
    usageStore.sums(piecesOf(question, buckets), question),
    poolStore.ofPayer(question.payer),
  ]);
  const byBucket = Map.groupBy(rows, ({ bucket }) =>
    bucket === null ? undefined : bucket.getTime() / 1_000,
  );
  return {
    startTime: period.start,
    endTime: period.end,
    totals: sumsMessage(rows.reduce(add, NOTHING)),
    pools: pools.map(poolMessage),
    buckets: buckets.map(({ start, end }) => ({
      startTime: start,
      endTime: end,
      groups: (byBucket.get(bucketOf(start, width)) ?? []).map(groupMessage),
    })),
    ...(nextPageStart === undefined ? {} : { nextPageStart }),
  };
}

/** Every minute of the period once: what is listed by its buckets, what is before and after it as a whole. */
function piecesOf({ period, width }: UsageQuestion, buckets: readonly Period[]): UsagePiece[] {
  const listed = {
    start: buckets[0]?.start ?? period.end,
    end: buckets.at(-1)?.end ?? period.end,
  };
  const around = [
    ...coverPeriod({ start: period.start, end: listed.start }),
    ...coverPeriod({ start: listed.end, end: period.end }),
  ];
  return [
    ...coverPeriod(listed, width).map((piece) => ({ ...piece, isListed: true })),
    ...around.map((piece) => ({ ...piece, isListed: false })),
  ];
}

function add(left: UsageSums, right: UsageSums): UsageSums {
  return {
    ...addUnitSums(left, right),
    requests: left.requests + right.requests,
    charged: left.charged + right.charged,
  };
}

function groupMessage({ model, key, capability, ...sums }: UsageSumRow) {
  return {
    ...(model === null ? {} : { model }),
    ...(key === null ? {} : { key }),
    ...(capability === null ? {} : { capability }),
    sums: sumsMessage(sums),
  };
}

function sumsMessage(sums: UsageSums) {
  return { requests: String(sums.requests), units: unitsMessage(sums), cost: String(sums.charged) };
}
