import { EventEmitter } from 'node:events';
import { Metadata } from '@grpc/grpc-js';
import { createLogger, createRegistry } from '@model-gateway/service-kit';
import { expect, it } from 'vitest';
import { createControlPlaneMetrics } from '../control-plane-metrics.ts';
import { ReadShares } from '../database/read-shares.ts';
import { read } from './unary.ts';

const never = new AbortController().signal;

function blockedReads() {
  const shares = new ReadShares(6);
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const read = (account: string, signal = never) =>
    shares.run(account, signal, async () => {
      started.push(account);
      await new Promise<void>((resolve) => ends.push(resolve));
    });
  return { started, ends, read };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it('an account has at most half of the connections, and others are served meanwhile', async () => {
  const { started, ends, read } = blockedReads();
  const greedy = Array.from({ length: 50 }, () => read('greedy'));
  const honest = read('honest');
  expect(started).toEqual(['greedy', 'greedy', 'greedy', 'honest']);
  for (let ended = 0; ended < 51; ended++) {
    ends[ended]?.();
    await nextTurn();
  }
  await Promise.all([...greedy, honest]);
  expect(started).toHaveLength(51);
});

it('a waiting read whose caller has gone does not run, and keeps no place', async () => {
  const { started, ends, read } = blockedReads();
  const running = [read('a'), read('a'), read('a')];
  const gone = new AbortController();
  const left = read('a', gone.signal);
  const last = read('a');
  gone.abort(new Error('gone'));
  ends[0]?.();
  await expect(left).rejects.toThrow('gone');
  await nextTurn();
  expect(started).toHaveLength(4);
  for (const end of ends) end();
  await Promise.all([...running, last]);
});

it('a failed read frees its place', async () => {
  const shares = new ReadShares(2);
  const fail = () => shares.run('a', never, () => Promise.reject(new Error('failed')));
  await expect(fail()).rejects.toThrow('failed');
  await expect(fail()).rejects.toThrow('failed');
});

it.each([
  ['accountId', (id: string) => ({ accountId: id })],
  ['owner', (id: string) => ({ owner: { accountId: id } })],
])(
  'a read whose request has `%s` counts for that account, one of an operator for none',
  async (_, requestOf) => {
    const context = {
      log: createLogger({ service: 'test', level: 'silent' }),
      metrics: createControlPlaneMetrics(createRegistry(), () => 0),
      readShares: new ReadShares(2),
    };
    const started: unknown[] = [];
    const ends: (() => void)[] = [];
    const list = read(context, 'ListAnything', async (__, request: object) => {
      started.push(request);
      await new Promise<void>((resolve) => ends.push(resolve));
      return {};
    });
    const answered: Promise<unknown>[] = [];
    const call = (request: object) => {
      const reply = Promise.withResolvers<unknown>();
      answered.push(reply.promise);
      const unary = Object.assign(new EventEmitter(), { request, metadata: new Metadata() });
      list(unary as unknown as Parameters<typeof list>[0], (_error, value) => reply.resolve(value));
    };
    for (const request of [requestOf('a'), requestOf('a'), requestOf('b'), {}, {}]) call(request);
    expect(started).toEqual([requestOf('a'), requestOf('b'), {}, {}]);
    for (let ended = 0; ended < 5; ended++) {
      ends[ended]?.();
      await nextTurn();
    }
    expect(await Promise.all(answered)).toEqual([{}, {}, {}, {}, {}]);
  },
);
