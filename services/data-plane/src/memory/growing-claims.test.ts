import { GatewayError } from '@model-gateway/shared';
import { expect, it } from 'vitest';
import { MemoryBudget, type MemoryBudgetBounds } from './memory-budget.ts';
import type { MemoryClaim } from './memory-claim.ts';

/** A budget in which the shares of keys and accounts are large enough, unless a test says otherwise. */
function budgetOf(bounds: Partial<MemoryBudgetBounds> = {}) {
  const budget = new MemoryBudget({
    totalBytes: 100,
    keyBytes: 100,
    accountBytes: 100,
    reserveBytes: 40,
    smallBytes: 5,
    maxWaitMs: 60_000,
    maxWaitingOfKey: 10,
    ...bounds,
    refusal: () => new GatewayError('overloaded', 'no room'),
  });
  let owners = 0;
  const open = (keyId = `key_${++owners}`, accountId = keyId) => budget.open({ keyId, accountId });
  return { budget, open };
}

/** Returns how a wait ended, or `waits` if it goes on after the current event loop turn. */
async function outcomeOf(taking: Promise<void>): Promise<string> {
  const waits = new Promise<string>((resolve) => setImmediate(() => resolve('waits')));
  const settled = taking.then(
    () => 'has memory',
    (reason: unknown) => (reason instanceof GatewayError ? reason.code : 'gone'),
  );
  return Promise.race([settled, waits]);
}

it('a claim that is no longer small leaves the reserve', () => {
  const { budget, open } = budgetOf({ reserveBytes: 20, totalBytes: 16 });
  const growing = open('a');
  expect([growing.tryTake(5), growing.tryTake(3)]).toEqual([true, true]);
  expect(open('b').tryTake(9)).toBe(false);
  expect([open('a').tryTake(5), open('c').tryTake(5)]).toEqual([true, true]);
  expect(budget.usedBytes).toBe(18);
});

it('a waiting claim is served as soon as others have released enough', async () => {
  const { budget, open } = budgetOf();
  const first = open();
  first.tryTake(70);
  const second = open().take(60);
  expect(await outcomeOf(second)).toBe('waits');
  first.giveBackPart(20);
  expect(await outcomeOf(second)).toBe('waits');
  first.giveBackPart(20);
  expect(await outcomeOf(second)).toBe('has memory');
  first.giveBack();
  expect(budget.usedBytes).toBe(60);
});

it('a claim that already holds memory goes before claims that hold none', async () => {
  const { open } = budgetOf({ keyBytes: 60 });
  const growing = open('a');
  growing.tryTake(30);
  const other = open('b');
  other.tryTake(50);
  const waiting = [open('a').take(40), open('c').take(60)];
  expect(growing.tryTake(10)).toBe(true);
  expect(open('d').tryTake(6)).toBe(false);
  const more = growing.take(20);
  other.giveBackPart(10);
  expect(await outcomeOf(more)).toBe('has memory');
  for (const wait of waiting) expect(await outcomeOf(wait)).toBe('waits');
});

it('if all growing claims wait for each other, the youngest is refused at once and the oldest is served', async () => {
  const { open } = budgetOf();
  const claims = [open(), open()];
  for (const claim of claims) claim.tryTake(50);
  const [older, younger] = claims.map((claim) => claim.take(10));
  expect(await outcomeOf(younger ?? Promise.reject())).toBe('overloaded');
  expect(await outcomeOf(older ?? Promise.reject())).toBe('waits');
  claims[1]?.giveBack();
  expect(await outcomeOf(older ?? Promise.reject())).toBe('has memory');
});

it.each([
  ['a key', { keyBytes: 40 }, 'mine', 'mine'],
  ['an account', { accountBytes: 40 }, 'mine', 'ours'],
])(
  'a deadlock within the share of %s is broken in the same way',
  async (_whose, bounds, firstKey, secondKey) => {
    const { open } = budgetOf(bounds);
    expect(open('other', 'others').tryTake(20)).toBe(true);
    const claims: MemoryClaim[] = [open(firstKey, 'account'), open(secondKey, 'account')];
    for (const claim of claims) claim.tryTake(20);
    const [older, younger] = claims.map((claim) => claim.take(10));
    expect(await outcomeOf(younger ?? Promise.reject())).toBe('overloaded');
    expect(await outcomeOf(older ?? Promise.reject())).toBe('waits');
    claims[1]?.giveBack();
    expect(await outcomeOf(older ?? Promise.reject())).toBe('has memory');
  },
);

it('no growing claim is refused early while one holder does not wait', async () => {
  const { open } = budgetOf();
  const claims = [open(), open(), open()];
  for (const claim of claims) claim.tryTake(33);
  const waiting = claims.slice(1).map((claim) => claim.take(10));
  for (const wait of waiting) expect(await outcomeOf(wait)).toBe('waits');
  claims[0]?.giveBack();
  for (const wait of waiting) expect(await outcomeOf(wait)).toBe('has memory');
});

it('released claims and empty claims leave no entries, however often they are released', async () => {
  const { budget, open } = budgetOf();
  const held = open();
  expect(open().tryTake(0)).toBe(true);
  held.tryTake(3);
  held.tryTake(70);
  const waiting = open();
  const wait = waiting.take(60);
  for (const gone of [waiting, held, waiting, held]) gone.giveBack();
  expect(await outcomeOf(wait)).toBe('gone');
  expect(budget.usedBytes).toBe(0);
  expect(budget.entries).toBe(0);
});
