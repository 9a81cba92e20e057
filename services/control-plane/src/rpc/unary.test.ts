import { createLogger, createRegistry } from '@model-gateway/service-kit';
import { expect, it } from 'vitest';
import { createControlPlaneMetrics } from '../control-plane-metrics.ts';
import { ReadShares } from '../database/read-shares.ts';
import { read } from './unary.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it.each([
  ['accountId', (id: string) => ({ accountId: id })],
  ['owner', (id: string) => ({ owner: { accountId: id } })],
])(
  'a read with `%s` in its request counts for that account, a read of an operator for none',
  async (_, requestOf) => {
    const context = {
      log: createLogger({ service: 'test', level: 'silent' }),
      metrics: createControlPlaneMetrics(createRegistry(), () => 0),
      readShares: new ReadShares(2),
      roleStore: {
        installationRolesOf: async () => [],
        accountRoleOf: async () => undefined,
        hasAccount: async () => false,
      },
      deniedAttempts: { note: () => undefined },
    };
    const started: unknown[] = [];
    const ends: (() => void)[] = [];
    const list = read(context, 'ListAnything', async (__, request: object) => {
      started.push(request);
      await new Promise<void>((resolve) => ends.push(resolve));
      return {};
    });
    const requests = [requestOf('a'), requestOf('a'), requestOf('b'), {}, {}];
    const { signal } = new AbortController();
    const answered = requests.map((request) => list.serve(request, signal, undefined));
    expect(started).toEqual([requestOf('a'), requestOf('b'), {}, {}]);
    for (let ended = 0; ended < 5; ended++) {
      ends[ended]?.();
      await nextTurn();
    }
    expect(await Promise.all(answered)).toEqual([{}, {}, {}, {}, {}]);
  },
);
