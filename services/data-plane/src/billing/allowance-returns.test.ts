import { expect, it } from 'vitest';
import { AllowanceReturns } from './allowance-returns.ts';
import { newFunding } from './funding.ts';
import { PayerAllowance } from './payer-allowance.ts';

it('returns of thousands of idle payers run a few at a time, and one per payer', async () => {
  const returns = new AllowanceReturns({
    giveBack: () => Promise.reject(new Error('not called by these')),
  });
  const payers = Array.from(
    { length: 1_000 },
    () => new PayerAllowance(newFunding([{ kind: 'account', id: 'acct' }])),
  );
  const started = new Map<PayerAllowance, number>();
  const gate = Promise.withResolvers<void>();
  const tick = () => {
    for (const payer of payers) {
      returns.runUnlessBusy(payer, () => {
        started.set(payer, (started.get(payer) ?? 0) + 1);
        return gate.promise;
      });
    }
  };
  tick();
  tick();
  expect([...started.values()]).toEqual(Array.from({ length: 64 }, () => 1));
  gate.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  payers.splice(0, 64);
  tick();
  expect(started.size).toBe(128);
});
