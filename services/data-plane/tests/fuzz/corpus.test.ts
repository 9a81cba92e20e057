import { withGateway, withStarted } from '@model-gateway/test-kit';
import fc from 'fast-check';
import { describe, it } from 'vitest';

import { credentialsOfKinds } from '../matrix/kinds.ts';
import { startScriptedProvider } from '../providers/scripted-provider.ts';
import { keptInputs } from './corpus.ts';
import { checkInput, type FuzzedGateway } from './fuzz-target.ts';
import { fuzzedCatalog, transcribes } from './fuzzed-catalog.ts';
import { TARGETS } from './targets/index.ts';

/** Enough to notice a target that no longer works. `npm run fuzz` tries as many as there is time for. */
const RUNS = 50;
const RUNS_AT_GATEWAY = 10;
const SEED = 33;

const silent = withStarted(() => startScriptedProvider(transcribes));
const gateway = withGateway(() => ({
  environment: credentialsOfKinds,
  document: (baseUrl) => fuzzedCatalog(baseUrl, silent),
}));
const called = (): FuzzedGateway => ({ port: Number(new URL(gateway.baseUrl).port), rawKey: gateway.rawKey });

describe.each(TARGETS)('the fuzz target $name', (target) => {
  it.each(keptInputs(target.name))('an input that once failed holds: $file', async ({ input }) => {
    await checkInput(target, input, called());
  });

  it('a few random inputs hold', async () => {
    const holds = fc.asyncProperty(target.input, (input) => checkInput(target, input, called()));
    await fc.assert(holds, { numRuns: target.needsGateway === true ? RUNS_AT_GATEWAY : RUNS, seed: SEED });
  });
});
