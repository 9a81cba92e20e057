import { describe, inject, it } from 'vitest';
import { controlPlaneOutage, postgresOutage } from './outage-money-drill.ts';

const redisUrl = inject('redis')?.url;
const outageMs = 5_000;

describe.skipIf(redisUrl === undefined)('five seconds of load during an outage', () => {
  it.each(['frozen', 'killed'] as const)(
    'a data plane spends the money it holds, gives others 503, and bills every request while the only control plane is %s',
    async (fault) => {
      await controlPlaneOutage({ redisUrl, fault, outageMs });
    },
  );

  it('a data plane spends the money it holds, gives others 503, and bills every request while Postgres is away', async () => {
    await postgresOutage({ redisUrl, outageMs });
  });
});
