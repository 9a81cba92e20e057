import { describe, inject, it } from 'vitest';
import { controlPlaneOutage, postgresOutage } from './outage-money-drill.ts';
import { fullQueue } from './outage-money-queue.ts';

const redisUrl = inject('redis')?.url;
/** Longer than a key is believed without the control plane. */
const outageMs = 3_500;

describe.skipIf(redisUrl === undefined).concurrent('money under load', () => {
  it('without the only control plane, which is frozen: what is held is spent, the rest waits', async () => {
    await controlPlaneOutage({ redisUrl, fault: 'frozen', outageMs });
  });

  it('without Postgres: what is held is spent, the rest waits, and every settlement is stored once', async () => {
    await postgresOutage({ redisUrl, outageMs });
  });

  it('with more settlements waiting than may: paid requests are refused, free ones go on, nothing is lost', async () => {
    await fullQueue({ redisUrl });
  });
});
