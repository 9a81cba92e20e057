import { it } from 'vitest';
import { eventsKillDrill } from './events-kill-drill.ts';

/** A busy machine starts killed control planes many times slower than a quiet one. */
const TIMEOUT_MS = 600_000;

it(
  'settled requests and thresholds are reported exactly once while control planes are killed',
  {
    timeout: TIMEOUT_MS,
  },
  () => eventsKillDrill({ accounts: 6, turns: 50, kills: 4 }),
);
