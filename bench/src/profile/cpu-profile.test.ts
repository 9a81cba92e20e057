import { expect, it } from 'vitest';
import { selfTimes } from './cpu-profile.ts';

it('time counts where it is spent, by file or by function, and idle time not at all', () => {
  const frame = (functionName: string, url: string, lineNumber: number) => ({
    functionName,
    url,
    lineNumber,
  });
  const profile = {
    nodes: [
      { id: 1, callFrame: frame('(idle)', '', -1) },
      {
        id: 2,
        children: [4],
        callFrame: frame('admit', 'file:///somewhere/services/data-plane/src/steps/admit.ts', 9),
      },
      { id: 3, callFrame: frame('other', 'file:///somewhere/services/data-plane/src/steps/admit.ts', 20) },
      {
        id: 4,
        callFrame: frame('parse', 'file:///somewhere/node_modules/.pnpm/zod@4/node_modules/zod/x.js', 0),
      },
    ],
    samples: [1, 2, 3, 4, 2],
    // The process had to wait for its core before the last sample.
    timeDeltas: [1_000, 1_000, 500, 500, 20_000],
  };
  expect(selfTimes(profile, 'file')).toEqual([
    { name: 'services/data-plane/src/steps/admit.ts', ms: 5.5, share: 5.5 / 6 },
    { name: 'zod/x.js', ms: 0.5, share: 0.5 / 6 },
  ]);
  expect(selfTimes(profile, 'owner')).toEqual([
    { name: 'services/data-plane/src/steps/admit.ts', ms: 6, share: 1 },
  ]);
  expect(selfTimes(profile, 'function')[0]?.name).toBe('admit services/data-plane/src/steps/admit.ts:10');
});
