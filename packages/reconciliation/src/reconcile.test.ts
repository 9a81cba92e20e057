import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { BillLine, BillPart } from '@model-gateway/provider-bills';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Ending, GatewayAttempt } from './gateway-attempt.ts';
import { reconcile } from './reconcile.ts';
import type { Cause, Report } from './report.ts';
import { summarize } from './summarize.ts';

const DAY_MS = 86_400_000;
const FROM_MS = Date.UTC(2026, 10, 25);
const PERIOD = { fromMs: FROM_MS, toMs: FROM_MS + 2 * DAY_MS };
const NAMES = {
  models: [{ modelId: 'acme/small', upstreamModels: ['small-1'] }],
  credentials: new Map([['key_abc', 'ACME_KEY']]),
};
const BOTH = { name: 'test', provider: null, has: 'both', columns: [], lines: () => [] } as const;
const [INPUT_PRICE, OUTPUT_PRICE] = [2_000n, 8_000n];

/** One request as it was: what the provider bills, what the gateway recorded, and why they differ. */
interface Truth {
  cause: Cause | 'none';
  startMs: number;
  durationMs: number;
  input: number;
  output: number;
  /** What the gateway took the output for, if it differs. */
  recorded: number;
}

const ENDINGS: Readonly<Partial<Record<Cause | 'none', Ending>>> = {
  aborted_streams: 'aborted',
  timed_out_attempts: 'timed_out',
  retried_attempts: 'retried',
  crashed: 'crashed',
  estimated_usage: 'estimated',
};

function isEstimated({ cause }: Truth): boolean {
  return ENDINGS[cause] !== undefined;
}

const truth = fc.record<Truth>({
  cause: fc.constantFrom(
    'none',
    'aborted_streams',
    'timed_out_attempts',
    'retried_attempts',
    'crashed',
    'estimated_usage',
    'not_through_gateway',
    'not_billed',
  ),
  startMs: fc.integer({ min: FROM_MS, max: PERIOD.toMs - 1 }),
  durationMs: fc.integer({ min: 1, max: 300_000 }),
  input: fc.integer({ min: 1, max: 1_000 }),
  output: fc.integer({ min: 0, max: 500 }),
  recorded: fc.integer({ min: 0, max: 500 }),
});

function costOf(input: number, output: number): bigint {
  return BigInt(input) * INPUT_PRICE + BigInt(output) * OUTPUT_PRICE;
}

function attemptOf(each: Truth, index: number): GatewayAttempt {
  const output = isEstimated(each) ? each.recorded : each.output;
  const cost = costOf(each.input, output);
  const endedAtMs = each.startMs + each.durationMs;
  return {
    requestId: `req_${index}`,
    // No response has arrived after a timeout, so there is no id.
    providerRequestId: each.cause === 'timed_out_attempts' ? null : `theirs_${index}`,
    startedAtMs: each.startMs,
    endedAtMs,
    requestEndedAtMs: endedAtMs,
    modelId: 'acme/small',
    credential: 'ACME_KEY',
    ending: ENDINGS[each.cause] ?? 'completed',
    units: { inputTokens: BigInt(each.input), ...(output === 0 ? {} : { outputTokens: BigInt(output) }) },
    cost,
    minCost: isEstimated(each) ? 0n : cost,
    maxCost: isEstimated(each) ? costOf(each.input, 500) : cost,
    maxOutputTokens: isEstimated(each) ? 500n : BigInt(output),
    unpriced: [],
  };
}

function line(each: Pick<Truth, 'startMs'>, members: Partial<BillLine>): BillLine {
  return {
    day: new Date(each.startMs).toISOString().slice(0, 10),
    startTimeMs: each.startMs,
    endTimeMs: null,
    model: 'small-1',
    credential: 'key_abc',
    project: null,
    serviceTier: null,
    unit: null,
    unitName: '',
    quantity: null,
    costNanoUsd: null,
    requests: null,
    requestId: null,
    clientRequestId: null,
    ...members,
  };
}

function linesOf(each: Truth, index: number): BillLine[] {
  const requestId = `theirs_${index}`;
  return [
    line(each, { requestId, unit: 'inputTokens', quantity: BigInt(each.input) }),
    line(each, { requestId, unit: 'outputTokens', quantity: BigInt(each.output) }),
    line(each, {
      requestId,
      unit: 'requests',
      quantity: 1n,
      requests: 1,
      costNanoUsd: costOf(each.input, each.output),
    }),
  ];
}

/** Sums up lines by day and unit, as reports do. */
function summed(lines: readonly BillLine[]): BillLine[] {
  const sums = new Map<string, BillLine>();
  for (const each of lines) {
    const key = `${each.day} ${each.unit}`;
    const sum = sums.get(key) ?? line({ startMs: Date.parse(each.day) }, { unit: each.unit, quantity: 0n });
    const requests = each.requests === null ? null : (sum.requests ?? 0) + 1;
    const cost = each.costNanoUsd === null ? null : (sum.costNanoUsd ?? 0n) + each.costNanoUsd;
    const quantity = BigInt(sum.quantity ?? 0) + BigInt(each.quantity ?? 0);
    sums.set(key, { ...sum, quantity, requests, costNanoUsd: cost });
  }
  return [...sums.values()];
}

async function* once<Item>(item: Item): AsyncGenerator<Item> {
  yield item;
}

async function compare(lines: BillLine[], attempts: GatewayAttempt[], names = NAMES): Promise<Report> {
  const part: BillPart = { format: BOTH, lines };
  return await reconcile({ bill: once(part), attempts: once(attempts), names, period: PERIOD });
}

function sidesOf(truths: readonly Truth[]) {
  return {
    lines: truths.flatMap((each, index) => (each.cause === 'not_billed' ? [] : linesOf(each, index))),
    attempts: truths.flatMap((each, index) =>
      each.cause === 'not_through_gateway' ? [] : [attemptOf(each, index)],
    ),
  };
}

function expectComplete({ rows }: Report): void {
  for (const { explanations, gateway, provider } of rows)
    expect(explanations.reduce((sum, { amount }) => sum + amount, 0n)).toBe(provider - gateway);
}

function unexplainedOf({ rows }: Report): bigint[] {
  return rows.flatMap(({ explanations }) =>
    explanations.filter(({ cause }) => cause === 'unexplained').map(({ amount }) => amount),
  );
}

describe('a bill that names each request', () => {
  it('tells the number and the money of each cause, and leaves nothing unexplained', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(truth, { maxLength: 40 }), async (truths) => {
        // Starts are apart, so that only one request is the closest to an attempt without an id.
        const apart = truths.map((each, index) => ({ ...each, startMs: FROM_MS + index * 3_600_000 }));
        const { attempts, lines } = sidesOf(apart);
        const report = await compare(lines, attempts);
        expect(unexplainedOf(report)).toEqual([]);
        expectComplete(report);
        for (const cause of new Set(apart.map((each) => each.cause))) {
          if (cause === 'none') continue;
          const caused = apart.filter((each) => each.cause === cause);
          const total = report.totals.find((each) => each.cause === cause);
          const billed = cause === 'not_billed' ? [] : caused;
          const counted = cause === 'not_through_gateway' ? [] : caused;
          expect(total).toMatchObject({
            requests: caused.length,
            provider: billed.reduce((sum, each) => sum + costOf(each.input, each.output), 0n),
            gateway: counted.reduce((sum, each, index) => sum + attemptOf(each, index).cost, 0n),
          });
          expect(total?.amount).toBe((total?.provider ?? 0n) - (total?.gateway ?? 0n));
        }
      }),
    );
  });

  it('moves a request over midnight from the day of its end to the day of the bill', async () => {
    const night: Truth = {
      cause: 'none',
      startMs: FROM_MS + DAY_MS - 1_000,
      durationMs: 2_000,
      input: 10,
      output: 5,
      recorded: 5,
    };
    const { attempts, lines } = sidesOf([night]);
    const { rows } = await compare(lines, attempts);
    const money = rows.filter(({ measure }) => measure === 'usd');
    expect(money.map(({ day, explanations }) => [day, explanations])).toEqual([
      ['2026-11-25', [{ cause: 'time_boundary', amount: 60_000n, requests: 1, requestIds: ['req_0'] }]],
      ['2026-11-26', [{ cause: 'time_boundary', amount: -60_000n, requests: 1, requestIds: ['req_0'] }]],
    ]);
  });

  it('tells a rounding from another price, and an unpriced unit from both', async () => {
    const same: Truth = {
      cause: 'none',
      startMs: FROM_MS,
      durationMs: 5,
      input: 10,
      output: 5,
      recorded: 5,
    };
    const prices = [60_000n, 59_999n, 70_000n, 70_000n];
    const billed = prices.flatMap((costNanoUsd, index) =>
      linesOf(same, index).map((each) => (each.costNanoUsd === null ? each : { ...each, costNanoUsd })),
    );
    const attempts = prices.map((_, index) => ({
      ...attemptOf(same, index),
      unpriced: index === 3 ? ['web_search_requests'] : [],
    }));
    const { totals } = await compare(billed, attempts);
    expect(totals.map(({ amount, cause, requestIds }) => [cause, amount, requestIds])).toEqual([
      ['rounding', -1n, ['req_1']],
      ['unpriced_units', 10_000n, ['req_3']],
      ['price_difference', 10_000n, ['req_2']],
    ]);
  });

  it('does not explain units that a completed request never reported', async () => {
    const same: Truth = {
      cause: 'none',
      startMs: FROM_MS,
      durationMs: 5,
      input: 10,
      output: 5,
      recorded: 5,
    };
    const { attempts, lines } = sidesOf([same]);
    const more = lines.map((each) => (each.unit === 'outputTokens' ? { ...each, quantity: 8n } : each));
    const report = await compare(more, attempts);
    expect(unexplainedOf(report)).toEqual([3n]);
    expect(report.totals).toMatchObject([{ cause: 'unexplained', requests: 1, requestIds: ['req_0'] }]);
  });

  it('takes a request without a record, but with an id of the gateway, for one of a lost data plane', async () => {
    const lost: Truth = {
      cause: 'crashed',
      startMs: FROM_MS,
      durationMs: 5,
      input: 10,
      output: 5,
      recorded: 5,
    };
    const lines = linesOf(lost, 0).map((each) => ({ ...each, clientRequestId: `req_${'a'.repeat(24)}` }));
    const { totals } = await compare(lines, []);
    expect(totals).toMatchObject([{ cause: 'crashed', requests: 1, provider: 60_000n, gateway: 0n }]);
  });
});

describe('a bill of sums', () => {
  it('explains whatever its causes allow, and nothing more', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(truth, { maxLength: 30 }),
        fc.bigInt({ min: 1n, max: 10n ** 9n }),
        async (truths, hidden) => {
          const { attempts, lines } = sidesOf(truths.filter(({ cause }) => cause !== 'not_billed'));
          const isMixed = truths.some(({ cause }) => cause === 'not_through_gateway');
          const report = await compare(summed(lines), attempts);
          expectComplete(report);
          if (!isMixed) expect(unexplainedOf(report)).toEqual([]);
          for (const { explanations } of report.rows)
            for (const { amount, cause, requests } of explanations)
              if (requests === 0 && cause !== 'unexplained') expect(amount).toBe(0n);
          // A price that is too high by more than estimates allow shows up with all that is too much.
          const sure = truths.filter(({ cause, durationMs, startMs }) => {
            const ends = new Date(startMs + durationMs).getUTCDate();
            return cause === 'none' && ends === new Date(startMs).getUTCDate();
          });
          if (sure.length === 0) return;
          const exact = sidesOf(sure);
          const dearer = summed(exact.lines).map((each) =>
            each.unit === 'inputTokens' ? { ...each, quantity: BigInt(each.quantity ?? 0) + hidden } : each,
          );
          const found = await compare(dearer, exact.attempts);
          expect(new Set(unexplainedOf(found))).toEqual(new Set([hidden]));
        },
      ),
    );
  });

  it('takes a model and a credential that the gateway never used for use beside it', async () => {
    const same: Truth = {
      cause: 'none',
      startMs: FROM_MS,
      durationMs: 5,
      input: 10,
      output: 5,
      recorded: 5,
    };
    const { attempts, lines } = sidesOf([same, same]);
    const [others, own] = [lines.slice(3), lines.slice(0, 3)];
    const foreign = others.map((each) => ({ ...each, credential: 'key_other' }));
    const report = await compare(
      [...summed(own), ...summed(foreign).map((each) => ({ ...each, credential: 'key_other' }))],
      attempts.slice(0, 1),
    );
    expect(report.totals).toMatchObject([{ cause: 'not_through_gateway', amount: 60_000n }]);
    expect(summarize(report, { milliPercent: 500n, nanoUsd: 0n }).isExceeded).toBe(true);
  });

  it('compares money with usage that only another report has', async () => {
    const same: Truth = {
      cause: 'none',
      startMs: FROM_MS,
      durationMs: 5,
      input: 10,
      output: 5,
      recorded: 5,
    };
    const { attempts, lines } = sidesOf([same]);
    const usage = summed(lines).map((each) => ({ ...each, costNanoUsd: null }));
    const costs = [
      line(same, { unit: 'inputTokens', quantity: 10n, costNanoUsd: 61_000n, credential: null }),
    ];
    const parts: BillPart[] = [
      { format: { ...BOTH, has: 'usage' }, lines: usage },
      { format: { ...BOTH, has: 'cost' }, lines: costs },
    ];
    const report = await reconcile({
      bill: (async function* () {
        yield* parts;
      })(),
      attempts: once(attempts),
      names: NAMES,
      period: PERIOD,
    });
    expect(report.rows.find(({ measure }) => measure === 'inputTokens')).toMatchObject({
      provider: 10n,
      gateway: 10n,
    });
    expect(report.totals.map(({ amount, cause }) => [cause, amount])).toEqual([
      ['rounding', 1n],
      ['price_difference', 999n],
    ]);
    expect(summarize(report, { milliPercent: 2_000n, nanoUsd: 0n }).isExceeded).toBe(false);
  });
});

it('a bill of requests and sums is refused, because the sums would be left out', async () => {
  const line: BillLine = {
    ...{ day: '2026-11-25', startTimeMs: FROM_MS, endTimeMs: null, model: 'small-1', credential: null },
    ...{ project: null, serviceTier: null, unit: null, unitName: 'total', quantity: null, requests: null },
    ...{ costNanoUsd: 5_000n, requestId: null, clientRequestId: null },
  };
  async function* bill(): AsyncGenerator<BillPart> {
    yield { format: BOTH, lines: [line, { ...line, requestId: 'p1' }] };
  }
  async function* attempts(): AsyncGenerator<GatewayAttempt[]> {
    yield [];
  }
  const refused = reconcile({ bill: bill(), attempts: attempts(), names: NAMES, period: PERIOD });
  await expect(refused).rejects.toThrow('one after another');
});

it('causes that cancel each other out exceed the tolerance', async () => {
  const same = { startMs: FROM_MS, durationMs: 5, input: 10, output: 5, recorded: 5 };
  const { attempts, lines } = sidesOf([
    { ...same, cause: 'not_through_gateway' },
    { ...same, cause: 'not_billed', startMs: FROM_MS + 3_600_000 },
  ]);
  const { isExceeded, money } = summarize(await compare(lines, attempts), {
    milliPercent: 500n,
    nanoUsd: 0n,
  });
  expect(money).toMatchObject({ difference: 0n, unexplained: 0n, byCause: 120_000n });
  expect(isExceeded).toBe(true);
});

it('lines of other days are not kept, and the records of an empty bill are read page by page', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const same = { startMs: FROM_MS, durationMs: 5, input: 10, output: 5, recorded: 5 };
  const others = { ...same, cause: 'none', startMs: FROM_MS - 30 * DAY_MS } as const;
  const made: WeakRef<object>[] = [];
  async function* bill(): AsyncGenerator<BillPart> {
    for (let index = 0; index < 1_000; index++) {
      const lines = linesOf(others, index);
      made.push(...lines.map((each) => new WeakRef(each)));
      yield { format: BOTH, lines };
    }
  }
  let kept: WeakRef<object>[] = [];
  async function* attempts(): AsyncGenerator<GatewayAttempt[]> {
    for (let index = 0; index < 1_000; index++) {
      const attempt = attemptOf({ ...same, cause: 'none' }, index);
      made.push(new WeakRef(attempt));
      yield [attempt];
    }
    await setImmediate();
    collectGarbage();
    kept = made.filter((each) => each.deref() !== undefined);
  }
  const report = await reconcile({ bill: bill(), attempts: attempts(), names: NAMES, period: PERIOD });
  expect(report.totals).toMatchObject([{ cause: 'not_billed', requests: 1_000, provider: 0n }]);
  expect(kept.length).toBeLessThan(10);
});
