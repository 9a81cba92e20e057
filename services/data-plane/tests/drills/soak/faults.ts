import { setTimeout as wait } from 'node:timers/promises';
import { startOwnRedis } from '@model-gateway/test-kit';
import type { OwnPostgres } from '@model-gateway/test-kit/own-postgres';
import type { RedisServer } from '@model-gateway/test-kit/redis';
import { at } from '../outage-money-load.ts';
import type { MoneyStack } from '../outage-money-stack.ts';

/**
 * The parts that get faults. The first data plane and the first control plane are never stopped.
 */
export interface FaultyStack {
  stack: MoneyStack;
  postgres: OwnPostgres;
  redis: RedisServer;
}

const FROZEN_MS = 5_000;
/** The index of the process that gets the faults. */
const VICTIM = 1;

/**
 * Each fault takes a few seconds, and ends when the part is back. They run one after the other, under load.
 */
export const FAULTS: Readonly<Record<string, (stack: FaultyStack) => Promise<void>>> = {
  'a data plane killed': async ({ stack }) => {
    const dataPlane = at(stack.dataPlanes, VICTIM);
    await dataPlane.kill();
    await dataPlane.start();
  },
  'a data plane rolled': async ({ stack }) => {
    const dataPlane = at(stack.dataPlanes, VICTIM);
    await dataPlane.stop();
    await dataPlane.start();
  },
  'a control plane killed': async ({ stack }) => {
    const controlPlane = at(stack.controlPlanes, VICTIM);
    await controlPlane.kill();
    await controlPlane.start();
  },
  'a control plane frozen': async ({ stack }) => {
    const controlPlane = at(stack.controlPlanes, VICTIM);
    controlPlane.freeze();
    await wait(FROZEN_MS);
    controlPlane.thaw();
  },
  'Redis frozen': async ({ redis }) => {
    redis.suspend();
    await wait(FROZEN_MS);
    redis.resume();
  },
  'Redis killed, and empty when it comes back': async (faulty) => {
    const { port } = faulty.redis;
    await faulty.redis.stop();
    await wait(1_000);
    const again = await startOwnRedis({ port });
    faulty.redis = again;
  },
  'Postgres killed': async ({ postgres }) => {
    postgres.kill();
    await wait(1_000);
    await postgres.restart();
  },
};
