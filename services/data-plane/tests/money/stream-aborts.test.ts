import { inject, it } from 'vitest';
import { abortDrill } from './stream-aborts.ts';

/** `npm run test:long` does it for an hour. */
it.skipIf(!inject('ownRedis'))('random aborts leak no stream slot', () =>
  abortDrill({ rounds: 1, streamsPerRound: 90, keys: 3 }),
);
