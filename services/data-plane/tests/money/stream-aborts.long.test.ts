import { inject, it } from 'vitest';
import { abortDrill } from './stream-aborts.ts';

/** One stream a second for an hour, in about two minutes. */
const ROUNDS = 12;
const STREAMS_PER_ROUND = 300;

it.skipIf(!inject('ownRedis'))('an hour of random aborts leaks no stream slot', () =>
  abortDrill({ rounds: ROUNDS, streamsPerRound: STREAMS_PER_ROUND, keys: 4 }),
);
