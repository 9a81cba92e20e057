import { it } from 'vitest';
import { killDrill, type Step } from './kill-drill.ts';

/** Five kills: `unsettled` is two. */
const STEPS: readonly Step[] = ['data-plane', 'unsettled', 'data-plane', 'control-plane'];

/**
 * Returns rounds of these steps in random order, each followed by a pause in which abandoned money is freed.
 */
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
