import { chatBody, postJson, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { withoutBreakers } from '../providers/without-breakers.ts';

const CREDIT_URL = 'https://shop.example.com/credit?account={account_id}';
const NAMED = 'Ask OpenAI at https://api.openai.com';

const gateway = withGateway({
  ownPools: true,
  environment: { HIDE_UPSTREAMS: 'true', CREDIT_URL },
  overrides: withoutBreakers(),
});
const open = withGateway({ overrides: withoutBreakers() });

describe('HIDE_UPSTREAMS', () => {
  it.each(['chat/completions', 'messages'])(
    'keeps the words of the provider from callers of /v1/%s',
    async (path) => {
      const body = chatBody({ max_tokens: 10 });
      const fault = { status: 422, message: NAMED };
      gateway.provider.script(fault);
      const hidden = await gateway.ask(path, body);
      expect(hidden.status).toBe(422);
      expect(hidden.body).toContain('The model provider rejected the request.');
      expect(hidden.body).not.toContain('OpenAI');
      open.provider.script(fault);
      expect((await open.ask(path, body)).body).toContain(NAMED);
    },
  );

  it('keeps the words of the provider from the event that ends a stream', async () => {
    const simulate = { sse: 'error_event', message: NAMED };
    const response = await gateway.chat({ stream: true, simulate });
    expect(response.body).toContain('upstream_error');
    expect(response.body).not.toContain('OpenAI');
  });

  it('numbers the providers in a receipt', async () => {
    const response = await gateway.chat({ simulate: { status: 500, message: NAMED } });
    const receipt = await gateway.receiptOf(response);
    expect(receipt.attempts).not.toEqual([]);
    for (const { provider } of receipt.attempts) expect(provider).toMatch(/^upstream-\d$/);
    expect(JSON.stringify(receipt)).not.toContain('OpenAI');
  });
});

describe('CREDIT_URL', () => {
  it('is in the error of a request that the balance does not cover, with the id of the account', async () => {
    const { rawKey, accountId } = await gateway.createKey();
    const response = await postJson(
      gateway.baseUrl,
      rawKey,
      'chat/completions',
      chatBody({ model: 'sim/chat-pro' }),
    );
    expect(response.status).toBe(402);
    expect(await response.text()).toContain(
      `Buy credit at https://shop.example.com/credit?account=${accountId}.`,
    );
  });
});
