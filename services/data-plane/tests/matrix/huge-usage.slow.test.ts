import { withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { MATRIX_CALLERS } from './callers.ts';
import { Cell, matrixOptions } from './cell.ts';
import { MATRIX_KINDS } from './kinds.ts';

const gateway = withGateway(matrixOptions(MATRIX_KINDS));

const SAID = 'A glacier is a river of ice.';

const cells = MATRIX_CALLERS.flatMap((caller) => MATRIX_KINDS.map((kind) => ({ caller, kind })));

describe.each(cells)('$caller.title at $kind.title', ({ caller, kind }) => {
  it.each([false, true])(
    'a response with more usage than any context has is billed by an estimate; streamed: %s',
    async (stream) => {
      gateway.provider.script({ usage: 'huge', content: SAID });
      const cell = new Cell(caller, kind, gateway, gateway.rawKey);
      const response = await cell.ask({ turns: [{ user: [{ text: 'What is a glacier?' }] }] }, { stream });
      expect(await response.text()).toContain('glacier');
      const { units, usage_source } = await gateway.receiptOf(response);
      expect(usage_source).toBe('estimated');
      expect(units.input_tokens).toBeLessThan(200);
      expect(units.output_tokens).toBeGreaterThan(0);
      expect(units.output_tokens).toBeLessThan(50);
    },
  );
});
