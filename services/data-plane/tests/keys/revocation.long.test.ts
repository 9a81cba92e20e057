import { startGateway } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { revocationDrill } from './revocation-drill.ts';

const REPETITIONS = 10;
const ROUNDS = 1_000;

it(`a revoked key is refused on the very next request, ${REPETITIONS} times ${ROUNDS} rounds`, async () => {
  await using gateway = await startGateway({ dataPlanes: 3, controlPlanes: 2 });
  for (let repetition = 1; repetition <= REPETITIONS; repetition++) await revocationDrill(gateway, ROUNDS);
  expect(gateway.logText()).not.toContain('"level":50');
});
