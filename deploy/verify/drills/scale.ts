import { createAccount } from '../account.ts';
import { type Outcome, sendChat, summary } from '../load.ts';
import type { Check } from '../report.ts';
import type { Stack } from '../stack.ts';

const PLANES = 4;
const PAID_PER_MINUTE = 100;
const STREAMS = 10;
const AT_ONCE = 40;

/** Checks that a key's limits hold over four data planes together. */
export async function scaleOut(stack: Stack, check: Check): Promise<void> {
  const account = await createAccount(stack, 'scale', { unlimited: false });
  const streamer = await createAccount(stack, 'streams', { unlimited: false });
  await stack.scale(PLANES);

  // Lets each data plane know the key. Free requests have their own limit.
  const warmUp = Array.from({ length: AT_ONCE }, () =>
    sendChat({ target: stack, key: account.key, kind: 'free' }),
  );
  await Promise.all(warmUp);
  const outcomes: Outcome[] = [];
  const startedAt = performance.now();
  const workers = Array.from({ length: AT_ONCE }, async () => {
    while (outcomes.length < 3 * PAID_PER_MINUTE && !stack.signal.aborted) {
      outcomes.push(await sendChat({ target: stack, key: account.key, kind: 'paid' }));
    }
  });
  await Promise.all(workers);
  const seconds = (performance.now() - startedAt) / 1_000;
  const accepted = outcomes.filter(({ status }) => status === 200).length;
  const others = outcomes.filter(({ status }) => status !== 200 && status !== 429);
  check(
    `scale to ${PLANES}: ${PAID_PER_MINUTE} paid requests a minute per key`,
    accepted === PAID_PER_MINUTE && others.length === 0 && seconds < 60,
    `${summary(outcomes)} in ${seconds.toFixed(1)} s`,
  );

  const ids = new Set(outcomes.map(({ requestId }) => requestId));
  const shares = await Promise.all(
    (await stack.containers('data-plane')).map(async ({ ID }) => {
      const logged = (await stack.docker('logs', ID)).matchAll(/"request_id":"(req_\w+)"/g);
      return new Set([...logged].map(([, id]) => id).filter((id) => ids.has(id))).size;
    }),
  );
  check(
    `scale to ${PLANES}: every data plane has its share`,
    shares.length === PLANES && shares.every((share) => share > 0),
    shares.join(' + '),
  );

  const streams = await Promise.all(
    Array.from({ length: STREAMS + 6 }, () => sendChat({ target: stack, key: streamer.key, kind: 'stream' })),
  );
  const open = streams.filter(({ status, isWhole }) => status === 200 && isWhole).length;
  check(`scale to ${PLANES}: ${STREAMS} streams at once per key`, open === STREAMS, summary(streams));
}
