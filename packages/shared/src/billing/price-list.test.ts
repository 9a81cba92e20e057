import { expect, it } from 'vitest';
import { type PriceListMessage, PriceLists } from './price-list.ts';

const list = (terms: string, ...validFromMs: number[]): PriceListMessage => ({
  ...{ id: 'pl_own', isDefault: false },
  versions: validFromMs.map((from, index) => ({ number: index + 1, validFromMs: from, terms })),
});

it('the version in force is that which became valid last, and stays one object', () => {
  const lists = new PriceLists([list('{"factor":"2"}', 100, 300, 200)]);
  const numberAt = (nowMs: number) => {
    const version = lists.inForce('pl_own', nowMs);
    return typeof version === 'object' ? version.number : version;
  };
  expect([50, 100, 250, 300].map(numberAt)).toEqual([undefined, 1, 3, 2]);
  expect(lists.inForce('pl_own', 400)).toBe(lists.inForce('pl_own', 500));
});

it('only terms in force are read, and those of a newer release are unknown', () => {
  const known = { number: 1, validFromMs: 100, terms: '{"factor":"2"}' };
  const newer = { number: 2, validFromMs: 200, terms: '{"factor":"2","currency":"EUR"}' };
  const lists = new PriceLists([{ id: 'pl_own', isDefault: true, versions: [known, newer] }]);
  expect(lists.inForce(undefined, 150)).toMatchObject({ number: 1 });
  expect(lists.inForce(undefined, 250)).toBe('unknown');
});

it('until a list has a valid version, its accounts pay by the default list', () => {
  const common = { number: 1, validFromMs: 100, terms: '{"factor":"1.2"}' };
  const coming = { number: 2, validFromMs: 200, terms: '{"factor":"1.1"}' };
  const lists = new PriceLists([
    { id: 'pl_default', isDefault: true, versions: [common] },
    { id: 'pl_own', isDefault: false, versions: [coming] },
  ]);
  expect(lists.inForce('pl_own', 50)).toBeUndefined();
  expect(lists.inForce('pl_own', 150)).toMatchObject({ number: 1 });
  expect(lists.inForce('pl_own', 250)).toMatchObject({ number: 2 });
});
