import process from 'node:process';
import { inject, it } from 'vitest';
import { soak } from './soak/soak.ts';

const minutes = Number(process.env.SOAK_MINUTES ?? 30);
/**
 * Three rounds at least, of a minute and a half on two quiet cores; a machine that is busy takes its time.
 */
const PATIENCE_MS = 15 * 60_000 + 2 * minutes * 60_000;

it.skipIf(!inject('ownRedis'))(
  `${minutes} minutes of honest load, aborts, hostile requests and faults leave nothing behind`,
  { timeout: PATIENCE_MS },
  async () => {
    await soak({ minutes, honestLanes: 12, hostileLanes: 3 });
  },
);
