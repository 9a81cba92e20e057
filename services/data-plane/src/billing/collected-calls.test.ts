import { GrpcStatus } from '@model-gateway/contracts';
import { expect, it } from 'vitest';
import { CollectedCalls } from './collected-calls.ts';

/** Calls that the test answers through `gates`. The response to a number is its double. */
function recordedCalls() {
  const together: number[][] = [];
  const alone: number[] = [];
  const gates: PromiseWithResolvers<(number | undefined)[]>[] = [];
  const calls = new CollectedCalls<number, number>({
    together: (asked) => {
      together.push([...asked]);
      const gate = Promise.withResolvers<(number | undefined)[]>();
      gates.push(gate);
      return gate.promise;
    },
    alone: (ask) => {
      alone.push(ask);
      return ask < 0 ? Promise.reject(new Error('refused')) : Promise.resolve(2 * ask);
    },
  });
  return { calls, together, alone, gates };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const grpcError = (code: GrpcStatus) => Object.assign(new Error(GrpcStatus[code]), { code });

it('requests of one tick share a call, and requests during that call share the next', async () => {
  const { calls, together, alone, gates } = recordedCalls();
  const first = [calls.ask(1, true), calls.ask(2, true)];
  await turn();
  const second = [calls.ask(3, true), calls.ask(4, false)];
  expect(together).toEqual([[1, 2]]);
  gates[0]?.resolve([2, 4]);
  expect(await Promise.all(first)).toEqual([2, 4]);
  expect(together).toEqual([
    [1, 2],
    [3, 4],
  ]);
  gates[1]?.resolve([6, 8]);
  expect(await Promise.all(second)).toEqual([6, 8]);
  expect(alone).toEqual([]);
});

it('a slow call does not delay the next ones', async () => {
  const { calls, gates } = recordedCalls();
  void calls.ask(1, true);
  await turn();
  const next = calls.ask(2, true);
  await expect.poll(() => gates.length).toBe(2);
  gates[1]?.resolve([4]);
  expect(await next).toBe(4);
});

it('a request that no caller waits for is sent soon, or at once when a caller starts to wait', async () => {
  const { calls, together, gates } = recordedCalls();
  const unhurried = [calls.ask(1, false)];
  await turn();
  expect(together).toEqual([]);
  unhurried.push(calls.ask(2, false));
  calls.hurry();
  await turn();
  expect(together).toEqual([[1, 2]]);
  gates[0]?.resolve([2, 4]);
  expect(await Promise.all(unhurried)).toEqual([2, 4]);
  const later = calls.ask(3, false);
  await expect.poll(() => together.length).toBe(2);
  gates[1]?.resolve([6]);
  expect(await later).toBe(6);
});

it('an omitted entry is sent again alone, and its failure affects no other', async () => {
  const { calls, alone, gates } = recordedCalls();
  const asked = [1, -2, 3].map((ask) => calls.ask(ask, true));
  await turn();
  gates[0]?.resolve([2, undefined, undefined]);
  expect(await Promise.allSettled(asked)).toMatchObject([
    { value: 2 },
    { reason: new Error('refused') },
    { value: 6 },
  ]);
  expect(alone).toEqual([-2, 3]);
});

it('more entries than one call takes are sent in several calls', async () => {
  const { calls, together, gates } = recordedCalls();
  const asked = Array.from({ length: 250 }, (_, ask) => calls.ask(ask, true));
  for (const call of [0, 1, 2]) {
    await expect.poll(() => gates.length).toBeGreaterThan(call);
    gates[call]?.resolve((together[call] ?? []).map((ask) => 2 * ask));
  }
  expect((await Promise.all(asked)).at(-1)).toBe(498);
  expect(together.map(({ length }) => length)).toEqual([100, 100, 50]);
});

it('an error that one entry may cause fails no other entry; an outage fails all', async () => {
  const { calls, alone, gates } = recordedCalls();
  const asked = [-1, 2].map((ask) => calls.ask(ask, true));
  await turn();
  gates[0]?.reject(grpcError(GrpcStatus.INTERNAL));
  expect(await Promise.allSettled(asked)).toMatchObject([{ status: 'rejected' }, { value: 4 }]);
  const outage = calls.ask(3, true);
  await turn();
  gates[1]?.reject(grpcError(GrpcStatus.UNAVAILABLE));
  await expect(outage).rejects.toThrow('UNAVAILABLE');
  expect(alone).toEqual([-1, 2]);
});
