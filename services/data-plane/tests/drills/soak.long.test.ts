import process from 'node:process';
import { inject, it } from 'vitest';
import { soak } from './soak/soak.ts';

const minutes = Number(process.env.SOAK_MINUTES ?? 30);
/**
 * At least three rounds, each of a minute and a half on two idle cores, and much longer on a busy machine.
 */
const TIMEOUT_MS = 15 * 60_000 + 2 * minutes * 60_000;

it.skipIf(!inject('ownRedis'))(
  `${minutes} minutes of honest load, aborts, hostile requests and faults leave nothing behind`,
  { timeout: TIMEOUT_MS },
  async () => {
    await soak({ minutes, honestLanes: 12, hostileLanes: 3 });
  },
);
