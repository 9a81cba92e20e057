import { ChatMeter } from '@model-gateway/dialects';
import { costOf, NO_UNITS, priceOf } from '@model-gateway/shared';
import { balanceUnreachable } from '@model-gateway/shared/errors';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InsufficientBalance } from './balance-refusals.ts';
import { extendHold } from './extend-hold.ts';
import { newFunding } from './funding.ts';
import { OutputCover } from './output-cover.ts';
import { type Hold, PayerAllowance } from './payer-allowance.ts';

const price = priceOf({ input_per_million_usd: '1', output_per_million_usd: '2' });
const PER_TOKEN = 2_000n;
const { signal } = new AbortController();

/** Grants money at once, up to a limit, or after a call. */
class Wallet {
  allowance = new PayerAllowance(newFunding([{ kind: 'account', id: 'acct_1' }]));
  calls = 0;
  left: bigint;
  readonly #isLocal: boolean;

  constructor(left: bigint, { isLocal = true } = {}) {
    this.left = left;
    this.#isLocal = isLocal;
  }

  hold(nanoUsd: bigint): Hold {
    this.left -= nanoUsd;
    this.allowance.grant({ granted: this.allowance.granted + nanoUsd, exact: true, recall: 0 }, nanoUsd);
    return this.allowance.reserve(nanoUsd);
  }

  extendNow(hold: Hold, nanoUsd: bigint): boolean {
    if (!this.#isLocal || nanoUsd > this.left) return false;
    this.left -= nanoUsd;
    hold.nanoUsd += nanoUsd;
    return true;
  }

  async reserve(_payer: unknown, nanoUsd: bigint): Promise<Hold> {
    this.calls += 1;
    await Promise.resolve();
    const figures = {
      availableNanoUsd: this.left,
      heldNanoUsd: 0n,
      resetsAt: undefined,
      uncollectedNanoUsd: 0n,
    };
    if (nanoUsd > this.left) throw new InsufficientBalance(figures);
    return this.hold(nanoUsd);
  }

  settle(hold: Hold, cost: bigint): void {
    hold.allowance.settle(hold, cost);
  }
}

function coverOf(
  wallet: Wallet,
  { whole = 64_000, first = 4_096, choices = 1, unseenTokens = 0, reasons = false } = {},
) {
  const maxUnits = { ...NO_UNITS, inputTokens: 100, outputTokens: first };
  const meter = new ChatMeter([Buffer.from('{}')], { max: maxUnits, mediaParts: 0, mediaPartTokens: 1_600 });
  const record = { hold: wallet.hold(costOf(maxUnits, price)) };
  const cover = new OutputCover({
    allowances: wallet,
    record,
    signal,
    creditUrl: () => 'https://shop.example/credit',
    price,
    maxUnits,
    unusedUnits: [],
    wholeOutput: whole,
    choices,
    unseenTokens,
    meter,
    reasons: () => reasons,
  });
  return { cover, maxUnits, meter, record };
}

describe('the hold of a stream', () => {
  it('doubles without a call while the process has money, up to the whole output', async () => {
    const wallet = new Wallet(10n ** 12n);
    const { cover, maxUnits, meter, record } = coverOf(wallet);
    const held: number[] = [];
    for (let bytes = 0; bytes < 300_000; bytes += 1_000) {
      meter.deliverText('x'.repeat(1_000));
      if (!cover.isShort) continue;
      expect(cover.extend()).toBeUndefined();
      held.push(maxUnits.outputTokens);
    }
    expect(held).toEqual([8_192, 16_384, 32_768, 64_000]);
    expect(record.hold.nanoUsd).toBe(costOf(maxUnits, price));
    expect(wallet.calls).toBe(0);
  });

  it('grows by one call, or by a small step if there is no money for a large one', async () => {
    const wallet = new Wallet(100_000n + 12_000n * PER_TOKEN, { isLocal: false });
    const { cover, maxUnits, meter } = coverOf(wallet);
    meter.deliverText('x'.repeat(12_300));
    await cover.extend();
    expect([maxUnits.outputTokens, wallet.calls, cover.isShort]).toEqual([8_192, 1, false]);
    meter.deliverText('x'.repeat(12_300));
    await cover.extend();
    expect([maxUnits.outputTokens, wallet.calls, cover.isShort]).toEqual([8_200 + 1_024, 3, false]);
    expect(wallet.left).toBe((12_000n - 9_224n) * PER_TOKEN);
  });

  it('ends the stream with a 402 that names the next part', async () => {
    const wallet = new Wallet(100_000n + 4_100n * PER_TOKEN, { isLocal: false });
    const { cover, meter } = coverOf(wallet);
    meter.deliverText('x'.repeat(12_300));
    await expect(cover.extend()).rejects.toMatchObject({
      code: 'insufficient_balance',
      message: expect.stringMatching(
        /^The response ends here, because its next part may cost 0.002056 USD.*https:\/\/shop\.example\/credit/,
      ),
    });
  });

  it('lets the stream go on without more money while no control plane responds', async () => {
    const wallet = new Wallet(10n ** 12n, { isLocal: false });
    const { cover, maxUnits, meter, record } = coverOf(wallet);
    const held = record.hold.nanoUsd;
    wallet.reserve = () => Promise.reject(balanceUnreachable('no answer'));
    for (const bytes of [12_300, 12_300, 24_600]) {
      meter.deliverText('x'.repeat(bytes));
      await cover.extend();
      expect(cover.isShort).toBe(false);
    }
    expect([record.hold.nanoUsd, maxUnits.outputTokens]).toEqual([held, 4_096]);
    expect(meter.usage(false)?.outputTokens).toBe(4_096);
  });

  it('covers hidden thinking, by its time, until the output begins', () => {
    const wallet = new Wallet(10n ** 12n);
    const { cover, maxUnits, meter } = coverOf(wallet, { reasons: true });
    cover.countHidden(performance.now() - 12_000);
    expect(cover.isShort).toBe(false);
    cover.countHidden(performance.now() - 42_000);
    meter.deliverText('x');
    expect(cover.extend()).toBeUndefined();
    expect(maxUnits.outputTokens).toBe(8_192);
    const { cover: other } = coverOf(wallet, { reasons: false });
    other.countHidden(performance.now() - 42_000);
    expect(other.isShort).toBe(false);
  });

  it('covers the thought of each choice', () => {
    const { cover, maxUnits } = coverOf(new Wallet(10n ** 12n), { first: 8_192, choices: 2, reasons: true });
    cover.countHidden(performance.now() - 32_000);
    expect(cover.extend()).toBeUndefined();
    expect(maxUnits.outputTokens).toBe(16_384);
  });

  it('covers predicted tokens that the model may reject', () => {
    const { cover, meter } = coverOf(new Wallet(10n ** 12n), { first: 5_096, unseenTokens: 1_000 });
    meter.deliverText('x'.repeat(3 * 4_096));
    expect(cover.isShort).toBe(false);
    meter.deliverText('x');
    expect(cover.isShort).toBe(true);
  });

  it('never covers less than is delivered, whatever arrives and whatever money there is', async () => {
    const arriving = fc.array(fc.integer({ min: 1, max: 40_000 }), { maxLength: 30 });
    const money = fc.record({ tokens: fc.integer({ min: 4_200, max: 80_000 }), isLocal: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(arriving, money, async (chunks, { isLocal, tokens }) => {
        const all = 100_000n + BigInt(tokens) * PER_TOKEN;
        const wallet = new Wallet(all, { isLocal });
        const { cover, maxUnits, meter, record } = coverOf(wallet);
        for (const bytes of chunks) {
          const before = meter.deliveredBytes;
          meter.deliverText('x'.repeat(bytes));
          try {
            if (cover.isShort) await cover.extend();
          } catch {
            cover.deliveredBytes = before;
          }
          expect(cover.isShort).toBe(false);
          expect(record.hold.nanoUsd).toBe(costOf(maxUnits, price));
          const usage = meter.usage(false);
          if (usage !== undefined) expect(costOf(usage, price)).toBeLessThanOrEqual(record.hold.nanoUsd);
          expect(record.hold.nanoUsd + wallet.left).toBe(all);
        }
      }),
    );
  });
});

describe('an extended hold', () => {
  it('is released if the request has ended meanwhile', async () => {
    const wallet = new Wallet(1_000n);
    const record = { hold: wallet.hold(100n) };
    const extending = extendHold(wallet, record, 200n, signal);
    wallet.settle(record.hold, 50n);
    await extending;
    expect([wallet.allowance.running, wallet.allowance.reserved, wallet.allowance.available]).toEqual([
      0,
      0n,
      250n,
    ]);
  });

  it('moves to another allowance if its own has ended meanwhile', async () => {
    const wallet = new Wallet(1_000n);
    const record: { hold: Hold } = { hold: wallet.hold(100n) };
    const [before, old] = [record.hold, wallet.allowance];
    before.maxUnits = NO_UNITS;
    wallet.allowance = new PayerAllowance(old.funding);
    await extendHold(wallet, record, 200n, signal);
    expect(record.hold).toMatchObject({ allowance: wallet.allowance, nanoUsd: 300n, maxUnits: NO_UNITS });
    expect([old.running, old.reserved, wallet.allowance.running]).toEqual([0, 0n, 1]);
  });

  it('stays as it was if the new allowance has too little money for all of it', async () => {
    const wallet = new Wallet(350n);
    const record: { hold: Hold } = { hold: wallet.hold(200n) };
    const [before, old] = [record.hold, wallet.allowance];
    wallet.allowance = new PayerAllowance(old.funding);
    await expect(extendHold(wallet, record, 100n, signal)).rejects.toBeInstanceOf(InsufficientBalance);
    expect(record.hold).toBe(before);
    expect([old.running, old.reserved, wallet.allowance.running, wallet.allowance.reserved]).toEqual([
      1,
      200n,
      0,
      0n,
    ]);
  });
});
