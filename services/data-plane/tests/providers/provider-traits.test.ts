import { modelEntry, providerEntry, withGateway } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';

const gateway = withGateway(() => ({
  document: (baseUrl) => ({
    providers: [providerEntry('strict', new URL('/mistral/v1', baseUrl).href, { traits: 'mistral' })],
    models: [modelEntry('strict/chat', { strict: 'sim-chat-free' }, { context_length: 10_000_000 })],
  }),
}));

const sent = () => gateway.provider.requests.at(-1)?.bodyText ?? '';

const send = (body: string) => gateway.ask('chat/completions', body);

it('a chat that the server takes passes to the byte, even if its text names a refused field', async () => {
  const messages = '[ {"role":"user", "content":"{\\"store\\": true, \\"name\\": 1}"} ]';
  const tools = '[{"type":"function","function":{"name":"f","parameters":{"properties":{"store":{}}}}}]';
  const body = `{ "messages": ${messages},\n "tools": ${tools}, "max_tokens": 9, "model": "strict/chat" }`;
  const response = await send(body);
  expect(response.status, response.body).toBe(200);
  expect(response.headers.get('x-gateway-ignored')).toBeNull();
  expect(sent()).toBe(body.replace('strict/chat', 'sim-chat-free'));
});

it('a chat with fields that the server refuses is changed, however they are spelled', async () => {
  const body =
    '{"model":"strict/chat","max_completion_tokens":9,"\\u0073tore":true,' +
    '"messages":[{"role":"developer","content":"Be brief."},{"role":"user","content":"Hi","name":"ada"}]}';
  const response = await send(body);
  expect(response.status, response.body).toBe(200);
  expect(response.headers.get('x-gateway-ignored')).toBe('store, messages[].name');
  expect(JSON.parse(sent())).toEqual({
    model: 'sim-chat-free',
    max_tokens: 9,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ],
  });
});

it('a large chat with fields that the server refuses is changed', async () => {
  const content = 'word '.repeat(400_000);
  const response = await gateway.post('chat/completions', {
    model: 'strict/chat',
    max_completion_tokens: 9,
    messages: [{ role: 'developer', content }],
  });
  expect(response.status).toBe(200);
  expect(sent()).toContain('"role":"system"');
  expect(sent()).toContain('"max_tokens":9');
});
