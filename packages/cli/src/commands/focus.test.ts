import type { DailyUsageMessage, ModelMessage } from '@model-gateway/contracts';
import { perUnit, UNITS } from '@model-gateway/shared';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rowsOf } from './focus.ts';

const COUNT = fc.oneof(fc.constant(0n), fc.bigInt(0n, 10n ** 12n));
const someCounts = fc.option(fc.array(COUNT, { minLength: UNITS.length, maxLength: UNITS.length }));
const somePricing = fc.dictionary(
  fc.constantFrom(...UNITS.map(({ price }) => price.name)),
  fc.integer({ min: 0, max: 99 }).map(String),
);

it('rows of a key, day and model add up to their money exactly, also without units or prices', () => {
  fc.assert(
    fc.property(someCounts, COUNT, COUNT, somePricing, (counts, charged, providerCost, pricing) => {
      const units =
        counts &&
        perUnit('unit', ({ unit }) => String(counts[UNITS.findIndex((each) => each.unit === unit)]));
      const daily: DailyUsageMessage = {
        ...{ startTime: '1764201600', keyId: 'key_1', modelId: 'm', units, owner: null, requests: '1' },
        ...{ charged: String(charged), providerCost: String(providerCost) },
      };
      for (const [view, money] of [
        ['charge', charged],
        ['cost', providerCost],
      ] as const) {
        const rows = rowsOf(daily, { pricing } as ModelMessage, undefined, view);
        expect(rows.reduce((sum, { billedNanoUsd }) => sum + billedNanoUsd, 0n)).toBe(money);
        expect(rows.every(({ usage }) => usage?.quantity !== 0n)).toBe(true);
      }
    }),
  );
});
