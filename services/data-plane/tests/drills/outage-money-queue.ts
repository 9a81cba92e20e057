import { setTimeout as wait } from 'node:timers/promises';
import { until, watchLag } from '@model-gateway/test-kit';
import { freePort } from '@model-gateway/test-kit/free-port';
import { expect } from 'vitest';
import { parseDataPlaneConfig, startDataPlane } from '../../src/index.ts';
import { auditAnswers } from './kill-drill-audit.ts';
import { at, pendingRecords, send } from './outage-money-load.ts';
import { startMoneyStack } from './outage-money-stack.ts';

const BOUNDS = { maxRecords: 10, maxBatchRecords: 4, maxBatchesUnderway: 2 };
/** A data plane spends the money that it holds for this long after the last message of a control plane. */
const LEASED_MS = 6_000;
/** These run while the queue fills, and end when it is full. */
const STREAMS = 4;

/**
 * Freezes the control plane until the settlement queue is full, and checks what is refused and what is lost.
 */
export async function fullQueue({ redisUrl }: { redisUrl: string | undefined }): Promise<void> {
  await using stack = await startMoneyStack({ redisUrl, dataPlanes: 0 });
  const port = await freePort();
  const dataPlane = await startDataPlane(
    parseDataPlaneConfig({
      ...stack.dataPlaneEnvironment,
      HOST: '127.0.0.1',
      PORT: String(port),
      INTERNAL_PORT: '0',
      LOG_LEVEL: 'silent',
      CONTROL_PLANE_ADDRESS: stack.controlPlaneAddresses.join(','),
    }),
    { settlementBounds: BOUNDS },
  );
  await using closing = new AsyncDisposableStack();
  closing.defer(() => dataPlane.close());
  const controlPlane = at(stack.controlPlanes, 0);
  const payer = await stack.createPayer('1000');
  await until(async () => (await send(port, payer.rawKey)).status === 200);
  // Records that still wait would take space in the queue.
  await until(async () => (await pendingRecords(dataPlane)) === 0);

  const streams = Array.from({ length: STREAMS }, () =>
    send(port, payer.rawKey, {
      streamed: true,
      simulate: { content: 'word '.repeat(30), token_delay_ms: 60 },
    }),
  );
  await until(() => stack.provider.requests.length === 1 + STREAMS);
  using lag = watchLag();
  controlPlane.freeze();
  const frozenAtMs = performance.now();
  const paid = [];
  for (let each = 0; each < BOUNDS.maxRecords; each++) paid.push(await send(port, payer.rawKey));
  // At once, because each of them is held back for a while before it is refused.
  const [free, ...more] = await Promise.all([
    send(port, payer.rawKey, { model: 'sim/chat-free' }),
    ...Array.from({ length: 3 }, () => send(port, payer.rawKey)),
  ]);
  paid.push(...more);
  // Held money is spent for as long as its lease lasts, also on a slow machine.
  const isLeased = performance.now() - frozenAtMs < LEASED_MS;
  const refused = paid.filter(({ status }) => status !== 200);
  const streamed = await Promise.all(streams);
  const still = await send(port, payer.rawKey);
  controlPlane.thaw();
  const thawedAtMs = performance.now();
  await until(async () => (await send(port, payer.rawKey)).status === 200);
  const recoveredMs = Math.round(performance.now() - thawedAtMs);
  console.log(`full queue: ${JSON.stringify({ accepted: paid.length - refused.length, recoveredMs })}`);

  if (isLeased) expect(paid.length - refused.length).toBe(BOUNDS.maxRecords);
  else expect(paid.length - refused.length).toBeLessThanOrEqual(BOUNDS.maxRecords);
  for (const answer of [...refused, still]) {
    expect(answer.status).toBe(503);
    if (isLeased) expect(answer.code).toBe('overloaded');
    expect(answer.retryAfter).toMatch(/^[1-9]\d*$/);
  }
  // During the outage Redis confirms its key; on a slow machine the data plane may not hear from Redis in
  // time either.
  if (isLeased) expect(free).toMatchObject({ status: 200, code: undefined });
  else expect(free.code ?? 'served').toMatch(/^(served|control_plane_unavailable)$/);
  expect(streamed.every(({ complete }) => complete)).toBe(true);
  // Takes 1 s on a quiet machine. The lag does not show the delay of the control plane, another process.
  expect(recoveredMs).toBeLessThan(8_000 + lag.allowanceMs(20));
  const billed = [...paid.filter(({ complete }) => complete), ...streamed];
  await wait(100);
  await until(async () => (await auditAnswers(stack, billed)).unbilled.length === 0);
  expect((await auditAnswers(stack, billed)).problems).toEqual([]);
  expect(await stack.verifyLedger()).toEqual([]);
}
