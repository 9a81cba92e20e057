import { withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { MATRIX_CALLERS } from './callers.ts';
import { Cell, Ignored, matrixOptions, Refused, RefusedByProvider } from './cell.ts';
import { PROOFS } from './features.ts';
import { MATRIX_KINDS } from './kinds.ts';
import { FEATURES, NOT_THERE, type Verdict, verdictOf } from './verdicts.ts';

const gateway = withGateway(matrixOptions(MATRIX_KINDS));

const cells = MATRIX_CALLERS.flatMap((caller) => MATRIX_KINDS.map((kind) => ({ caller, kind })));

describe.each(cells)('$caller.title at $kind.title', ({ caller, kind }) => {
  const there = FEATURES.filter((feature) => verdictOf(caller.title, kind.title, feature) !== NOT_THERE);
  it.each(there)('the feature %s behaves as the table in docs/providers.md says', async (feature) => {
    const cell = new Cell(caller, kind, gateway, gateway.rawKey);
    let verdict: Verdict = 'works';
    try {
      await PROOFS[feature](cell);
    } catch (failure) {
      if (failure instanceof Refused) verdict = 'refused by name';
      else if (failure instanceof RefusedByProvider) verdict = 'refused by provider';
      else if (failure instanceof Ignored) verdict = 'ignored by name';
      else throw failure;
    }
    expect(verdict).toBe(verdictOf(caller.title, kind.title, feature));
  });
});
