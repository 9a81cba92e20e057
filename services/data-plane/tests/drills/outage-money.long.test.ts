import { describe, inject, it } from 'vitest';
import { controlPlaneOutage, postgresOutage } from './outage-money-drill.ts';

const redisUrl = inject('redis')?.url;
const outageMs = 5_000;

describe.skipIf(redisUrl === undefined)(
  'five seconds under load: what is held is spent, the rest waits',
  () => {
    it.each(['frozen', 'killed'] as const)('the only control plane is %s', async (fault) => {
      await controlPlaneOutage({ redisUrl, fault, outageMs });
    });

    it('Postgres is away', async () => {
      await postgresOutage({ redisUrl, outageMs });
    });
  },
);
