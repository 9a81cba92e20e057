import { createAccount, requestsOnRecord } from '../account.ts';
import { Load, sendChat, summary } from '../load.ts';
import type { Check } from '../report.ts';
import type { Stack } from '../stack.ts';

const PLANES = 2;
/** 20 seconds, well within the drain time. */
const LONG_STREAM_WORDS = 200;

/** Removes and replaces data planes under streams; no client may notice. */
export async function rollingRestart(stack: Stack, check: Check): Promise<void> {
  const account = await createAccount(stack, 'rolling', { unlimited: true });
  const before = await stack.containers('data-plane');
  await using load = new Load({ target: stack, key: account.key, workers: { stream: 16, paid: 4, free: 4 } });
  const long = Array.from({ length: 4 }, () =>
    sendChat({ target: stack, key: account.key, kind: 'stream', words: LONG_STREAM_WORDS }),
  );
  const startedAt = performance.now();
  await stack.scale(PLANES);
  const scaledAt = performance.now();
  await stack.roll();
  const seconds = [scaledAt - startedAt, performance.now() - scaledAt].map((ms) => (ms / 1_000).toFixed(0));
  const outcomes = [...(await load.stop()), ...(await Promise.all(long))];

  const failed = outcomes.filter(({ status, isWhole }) => status !== 200 || !isWhole);
  const streams = outcomes.filter(({ kind }) => kind === 'stream').length;
  check(
    `rolling restart: ${before.length} to ${PLANES} data planes, then each replaced`,
    failed.length === 0,
    `${summary(outcomes)} (${streams} streams; ${seconds.join(' + ')} s)`,
  );
  const after = await stack.containers('data-plane');
  const kept = after.filter(({ ID }) => before.some((old) => old.ID === ID));
  check(
    'rolling restart: no old container is left',
    kept.length === 0 && after.length === PLANES,
    `${after.length} new`,
  );
  const recorded = await requestsOnRecord(stack, account);
  const answered = outcomes.length - failed.length;
  check('rolling restart: every request on record once', recorded === answered, `${recorded} of ${answered}`);
}
