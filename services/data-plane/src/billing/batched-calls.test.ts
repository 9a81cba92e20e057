import { GrpcStatus } from '@model-gateway/contracts';
import { expect, it } from 'vitest';
import { BatchedCalls } from './batched-calls.ts';

/** Calls that the test answers through `gates`. The response to a number is its double. */
function recordedCalls() {
  const batches: number[][] = [];
  const singles: number[] = [];
  const gates: PromiseWithResolvers<(number | undefined)[]>[] = [];
  const calls = new BatchedCalls<number, number>({
    batch: (requests) => {
      batches.push([...requests]);
      const gate = Promise.withResolvers<(number | undefined)[]>();
      gates.push(gate);
      return gate.promise;
    },
    single: (request) => {
      singles.push(request);
      return request < 0 ? Promise.reject(new Error('refused')) : Promise.resolve(2 * request);
    },
  });
  return { calls, batches, singles, gates };
}

const nextTick = () => new Promise((resolve) => setImmediate(resolve));
const grpcError = (code: GrpcStatus) => Object.assign(new Error(GrpcStatus[code]), { code });

it('requests of one tick share a call, and requests during that call share the next', async () => {
  const { calls, batches, singles, gates } = recordedCalls();
  const first = [calls.add(1, true), calls.add(2, true)];
  await nextTick();
  const second = [calls.add(3, true), calls.add(4, false)];
  expect(batches).toEqual([[1, 2]]);
  gates[0]?.resolve([2, 4]);
  expect(await Promise.all(first)).toEqual([2, 4]);
  expect(batches).toEqual([
    [1, 2],
    [3, 4],
  ]);
  gates[1]?.resolve([6, 8]);
  expect(await Promise.all(second)).toEqual([6, 8]);
  expect(singles).toEqual([]);
});

it('a slow call does not delay the next ones', async () => {
  const { calls, gates } = recordedCalls();
  void calls.add(1, true);
  await nextTick();
  const next = calls.add(2, true);
  await expect.poll(() => gates.length).toBe(2);
  gates[1]?.resolve([4]);
  expect(await next).toBe(4);
});

it('a request that no caller waits for is sent soon, or at once when a caller starts to wait', async () => {
  const { calls, batches, gates } = recordedCalls();
  const early = [calls.add(1, false)];
  await nextTick();
  expect(batches).toEqual([]);
  early.push(calls.add(2, false));
  calls.sendSoon();
  await nextTick();
  expect(batches).toEqual([[1, 2]]);
  gates[0]?.resolve([2, 4]);
  expect(await Promise.all(early)).toEqual([2, 4]);
  const later = calls.add(3, false);
  await expect.poll(() => batches.length).toBe(2);
  gates[1]?.resolve([6]);
  expect(await later).toBe(6);
});

it('an omitted entry is sent again alone, and its failure affects no other', async () => {
  const { calls, singles, gates } = recordedCalls();
  const responses = [1, -2, 3].map((request) => calls.add(request, true));
  await nextTick();
  gates[0]?.resolve([2, undefined, undefined]);
  expect(await Promise.allSettled(responses)).toMatchObject([
    { value: 2 },
    { reason: new Error('refused') },
    { value: 6 },
  ]);
  expect(singles).toEqual([-2, 3]);
});

it('more entries than one call takes are sent in several calls', async () => {
  const { calls, batches, gates } = recordedCalls();
  const responses = Array.from({ length: 250 }, (_, request) => calls.add(request, true));
  for (const call of [0, 1, 2]) {
    await expect.poll(() => gates.length).toBeGreaterThan(call);
    gates[call]?.resolve((batches[call] ?? []).map((request) => 2 * request));
  }
  expect((await Promise.all(responses)).at(-1)).toBe(498);
  expect(batches.map(({ length }) => length)).toEqual([100, 100, 50]);
});

it('an error that one entry may cause fails no other entry; an outage fails all', async () => {
  const { calls, singles, gates } = recordedCalls();
  const responses = [-1, 2].map((request) => calls.add(request, true));
  await nextTick();
  gates[0]?.reject(grpcError(GrpcStatus.INTERNAL));
  expect(await Promise.allSettled(responses)).toMatchObject([{ status: 'rejected' }, { value: 4 }]);
  const outage = calls.add(3, true);
  await nextTick();
  gates[1]?.reject(grpcError(GrpcStatus.UNAVAILABLE));
  await expect(outage).rejects.toThrow('UNAVAILABLE');
  expect(singles).toEqual([-1, 2]);
});
