import { describe, inject, it } from 'vitest';
import { controlPlaneOutage, postgresOutage } from './outage-money-drill.ts';
import { fullQueue } from './outage-money-queue.ts';

const redisUrl = inject('redis')?.url;
/** Longer than a cached key is valid without the control plane. */
const outageMs = 3_500;

describe.skipIf(redisUrl === undefined).concurrent('money under load', () => {
  it('a data plane spends the money it holds, gives others 503, and bills every request while the only control plane is frozen', async () => {
    await controlPlaneOutage({ redisUrl, fault: 'frozen', outageMs });
  });

  it('a data plane spends the money it holds, and every settlement is stored once, while Postgres is away', async () => {
    await postgresOutage({ redisUrl, outageMs });
  });

  it('a full settlement queue refuses paid requests, serves free ones and loses nothing', async () => {
    await fullQueue({ redisUrl });
  });
});
