import { expect, it } from 'vitest';
import { killDrill, type Step } from './kill-drill.ts';

const ROUNDS = 10;
const VICTIMS: readonly Step[] = ['data-plane', 'postgres', 'data-plane', 'control-plane', 'data-plane'];

/** Rounds of five kills in an order of their own, and a pause in which what was left behind comes back. */
function rounds(count: number): Step[] {
  return Array.from({ length: count }, (): Step[] => [...shuffled(VICTIMS), 'calm']).flat();
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

it('fifty kills under load: background loses one flush window at most, acknowledged nothing', async () => {
  const steps = rounds(ROUNDS);
  expect(steps.filter((step) => step !== 'calm')).toHaveLength(50);
  await killDrill({ settlement: ['acknowledged', 'background'], steps, overlapping: false, lanes: 12 });
});

it('kills upon kills: acknowledged loses nothing even when a data plane dies while Postgres is away', async () => {
  const steps = [...rounds(2), ...rounds(3)];
  await killDrill({ settlement: ['acknowledged', 'acknowledged'], steps, overlapping: true, lanes: 12 });
});
