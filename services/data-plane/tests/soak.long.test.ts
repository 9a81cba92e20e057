import process from 'node:process';
import { inject, it } from 'vitest';
import { soak } from './soak/soak.ts';

/** One round has each fault once and takes about a minute and a half on two quiet cores. */
const ROUND_MS = 90_000;
const minutes = Number(process.env.SOAK_MINUTES ?? 30);
const rounds = Math.max(3, Math.ceil((minutes * 60_000) / ROUND_MS));

it.skipIf(!inject('ownRedis'))(
  `${minutes} minutes of honest load, aborts, hostile requests and faults leave nothing behind`,
  { timeout: rounds * 4 * ROUND_MS },
  async () => {
    await soak({ rounds, warmUpRounds: Math.ceil(rounds / 4), honestLanes: 12, hostileLanes: 3 });
  },
);
