import { usageReceipt } from '@model-gateway/shared';
import { type TestGateway, until } from '@model-gateway/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MATRIX_CALLERS } from './callers.ts';
import { Cell, startMatrixGateway } from './cell.ts';
import { MATRIX_KINDS } from './kinds.ts';

let gateway: TestGateway;
let rawKey: string;

beforeAll(async () => {
  gateway = await startMatrixGateway(MATRIX_KINDS);
  ({ rawKey } = await gateway.createKey());
});
afterAll(() => gateway?.close());
beforeEach(() => gateway.provider.clear());

const SAID = 'A glacier is a river of ice.';

async function receiptOf(response: Response) {
  const url = `${gateway.baseUrl}/v1/usage/requests/${response.headers.get('x-request-id')}`;
  const receipt = () => fetch(url, { headers: { authorization: `Bearer ${rawKey}` } });
  await until(async () => (await receipt()).status === 200);
  return usageReceipt.parse(await (await receipt()).json());
}

const cells = MATRIX_CALLERS.flatMap((caller) => MATRIX_KINDS.map((kind) => ({ caller, kind })));

describe.each(cells)('$caller.title at $kind.title', ({ caller, kind }) => {
  it.each([false, true])(
    'pays for what was asked and delivered where the provider counts what no context has room for; streamed: %s',
    async (stream) => {
      gateway.provider.script({ usage: 'huge', content: SAID });
      const cell = new Cell(caller, kind, gateway, rawKey);
      const response = await cell.ask({ turns: [{ user: [{ text: 'What is a glacier?' }] }] }, { stream });
      expect(await response.text()).toContain('glacier');
      const { units, usage_source } = await receiptOf(response);
      expect(usage_source).toBe('estimated');
      expect(units.input_tokens).toBeLessThan(200);
      expect(units.output_tokens).toBeGreaterThan(0);
      expect(units.output_tokens).toBeLessThan(50);
    },
  );
});
