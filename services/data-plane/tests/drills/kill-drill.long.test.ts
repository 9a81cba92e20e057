import { it } from 'vitest';
import { killDrill, type Step } from './kill-drill.ts';

/** Five kills. */
const STEPS: readonly Step[] = ['data-plane', 'unsettled', 'data-plane', 'control-plane'];

/** Rounds of them in an order of their own, and a pause in which what was left behind comes back. */
function rounds(count: number): Step[] {
  return Array.from({ length: count }, (): Step[] => [...shuffled(STEPS), 'calm']).flat();
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

it('fifty kills under load lose at most one flush window in background mode and nothing in acknowledged mode', async () => {
  await killDrill({
    settlement: ['acknowledged', 'background'],
    steps: rounds(10),
    overlapping: false,
    lanes: 12,
  });
});

it('acknowledged mode loses nothing even when a data plane dies while Postgres is away', async () => {
  await killDrill({
    settlement: ['acknowledged', 'acknowledged'],
    steps: rounds(5),
    overlapping: true,
    lanes: 12,
  });
});
