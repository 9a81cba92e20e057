import { expect, it } from 'vitest';
import { SingleFlight } from './single-flight.ts';

/** Work whose runs end when the test says so. */
function controlled() {
  const runs: PromiseWithResolvers<void>[] = [];
  const flight = new SingleFlight(
    () => {
      const run = Promise.withResolvers<void>();
      runs.push(run);
      return run.promise;
    },
    () => undefined,
  );
  return { flight, runs };
}

it('every request is answered by a run that began after it, however many there are', async () => {
  const { flight, runs } = controlled();
  const first = flight.requestAndWait();
  const second = flight.requestAndWait();
  const third = flight.requestAndWait();
  expect(runs).toHaveLength(1);
  runs[0]?.resolve();
  await first;
  expect(runs).toHaveLength(2);
  runs[1]?.resolve();
  await Promise.all([second, third]);
  await flight.settled();
  expect(runs).toHaveLength(2);
});

it('work continues after a failed run', async () => {
  const { flight, runs } = controlled();
  const failed = flight.requestAndWait();
  runs[0]?.reject(new Error('lost'));
  await failed;
  const next = flight.requestAndWait();
  runs[1]?.resolve();
  await next;
});

it('work continues after an error that could not be reported', async () => {
  let runs = 0;
  const flight = new SingleFlight(
    async () => {
      runs += 1;
      throw new Error('lost');
    },
    () => {
      throw new Error('no space for the log');
    },
  );
  await flight.requestAndWait();
  await flight.requestAndWait();
  expect(runs).toBe(2);
});
