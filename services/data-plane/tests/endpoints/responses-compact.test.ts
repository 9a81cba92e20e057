import { postJson, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRuledKey } from '../limits/ruled-key.ts';
import { matrixOptions, modelIdOf } from '../matrix/cell.ts';
import { MATRIX_KINDS } from '../matrix/kinds.ts';

const KINDS = MATRIX_KINDS.filter(({ title }) => ['OpenAI Responses', 'Anthropic'].includes(title));
const gateway = withGateway(matrixOptions(KINDS));

const [OPENAI, CLAUDE] = ['OpenAI Responses', 'Anthropic'].map((title) => {
  const kind = KINDS.find((one) => one.title === title);
  return kind === undefined ? '' : modelIdOf(kind);
});
const post = (path: string, request: object) => postJson(gateway.baseUrl, gateway.rawKey, path, request);

const compaction = z.looseObject({
  id: z.string(),
  output: z.array(z.looseObject({ encrypted_content: z.string().optional() })),
  usage: z.looseObject({ input_tokens: z.number(), output_tokens: z.number() }),
});
const inputTokens = z.strictObject({ object: z.literal('response.input_tokens'), input_tokens: z.int() });

describe('POST /v1/responses/compact', () => {
  it('a conversation is compacted by a provider with the Responses API, billed, and continued', async () => {
    const input = 'What is a glacier?';
    const response = await post('responses/compact', { model: OPENAI, input, instructions: 'Be brief.' });
    expect(response.status).toBe(200);
    const compacted = compaction.parse(await response.json());
    expect(compacted).toMatchObject({ object: 'response.compaction', output: [{}, { type: 'compaction' }] });
    expect(gateway.provider.requests.at(-1)?.path).toMatch(/\/responses\/compact$/);
    const receipt = await gateway.receiptOf(response);
    expect(receipt).toMatchObject({
      units: { input_tokens: compacted.usage.input_tokens, output_tokens: compacted.usage.output_tokens },
    });
    // The id is sealed: `resp_sim…` is the provider's own.
    expect(compacted.id).toMatch(/^resp_/);
    expect(compacted.output.at(-1)?.encrypted_content).not.toContain(compacted.id);
  });

  it('takes at most a quarter of a limit of tokens for its output, which the caller cannot limit', async () => {
    const { rawKey } = await createRuledKey(gateway, { tokens_per_minute: 8_000 });
    const request = { model: OPENAI, input: 'What is a glacier?' };
    const response = await postJson(gateway.baseUrl, rawKey, 'responses/compact', request);
    expect(response.status).toBe(200);
    expect(Number(response.headers.get('x-ratelimit-remaining-tokens'))).toBeGreaterThan(5_900);
  });

  it('a model whose provider has no Responses API is refused, with what to do instead', async () => {
    const response = await post('responses/compact', { model: CLAUDE, input: 'hi' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: {
        code: 'invalid_request',
        param: 'model',
        message: expect.stringContaining('compact it in the client'),
      },
    });
  });

  it.each([{ stream: true }, { background: true }, { max_output_tokens: 16 }])(
    '%o is refused by name, and the provider is not asked',
    async (members) => {
      const before = gateway.provider.requests.length;
      const response = await post('responses/compact', { model: OPENAI, input: 'hi', ...members });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { param: Object.keys(members)[0] } });
      expect(gateway.provider.requests.length).toBe(before);
    },
  );

  it('another method is answered with the method that there is', async () => {
    const response = await fetch(`${gateway.baseUrl}/v1/responses/compact`, { method: 'PUT' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toContain('POST');
  });
});

describe('POST /v1/responses/input_tokens', () => {
  it.each([OPENAI, CLAUDE])('the tokens of a request are counted for %s, for free', async (model) => {
    const short = await post('responses/input_tokens', { model, input: 'What is a glacier?' });
    const long = await post('responses/input_tokens', { model, input: 'What is a glacier? '.repeat(100) });
    const [few, many] = [inputTokens.parse(await short.json()), inputTokens.parse(await long.json())];
    expect(few.input_tokens).toBeGreaterThan(0);
    expect(many.input_tokens).toBeGreaterThan(20 * few.input_tokens);
    expect(gateway.provider.requests.filter(({ path }) => path.includes('input_tokens'))).toEqual([]);
  });

  it.each([
    ['previous_response_id', { previous_response_id: 'resp_1' }],
    ['conversation', { conversation: 'conv_1' }],
    ['input', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
  ])('a request whose conversation is stored elsewhere is refused, naming %s', async (param, members) => {
    const response = await post('responses/input_tokens', { model: OPENAI, input: 'hi', ...members });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_request', param } });
  });
});
