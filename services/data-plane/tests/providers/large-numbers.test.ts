import {
  modelEntry,
  PROVIDER_CREDENTIAL,
  providerEntry,
  withGateway,
  withStarted,
} from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { startScriptedProvider } from './scripted-provider.ts';

/** Ids of 64 bits are numbers that JavaScript cannot hold: a call with another id is another call. */
const ID = '9007199254740993';
const ARGS = `{"id":${ID},"of":[18446744073709551615]}`;
const ESCAPED = JSON.stringify(ARGS);

const provider = withStarted(() => startScriptedProvider());
const gateway = withGateway(() => {
  const { baseUrl } = provider;
  const models = {
    gemini: 'gemini-2.5-pro',
    claude: 'claude-sonnet-4-5',
    bedrock: 'amazon.nova-pro-v1:0',
    chat: 'gpt-x',
    cohere: 'command-a',
  };
  const origin = new URL(baseUrl).origin;
  return {
    document: () => ({
      providers: [
        providerEntry('gemini', baseUrl, { kind: 'gemini' }),
        providerEntry('claude', baseUrl, { kind: 'anthropic' }),
        providerEntry('chat', baseUrl),
        providerEntry('cohere', origin, { kind: 'cohere' }),
        providerEntry('bedrock', origin, { kind: 'bedrock', region: 'eu-central-1' }),
      ],
      models: Object.entries(models).map(([id, model]) => modelEntry(`${id}/model`, { [id]: model })),
    }),
  };
});

async function post(path: string, body: string): Promise<string> {
  const { body: text, status } = await gateway.ask(path, body);
  expect(status, text).toBe(200);
  expect(text).not.toContain(PROVIDER_CREDENTIAL);
  return text;
}

/** Answers that call a tool. */
const CALLING = {
  gemini: `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":${ARGS}}}]},"finishReason":"STOP"}]}`,
  claude: `{"id":"m","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"t","name":"f","input":${ARGS}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`,
  bedrock: `{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"t","name":"f","input":${ARGS}}}]}},"stopReason":"tool_use","usage":{"inputTokens":1,"outputTokens":1}}`,
  chat: `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":${ESCAPED}}}]},"finish_reason":"tool_calls"}]}`,
  cohere: `{"id":"c","message":{"role":"assistant","tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":${ESCAPED}}}]},"finish_reason":"TOOL_CALL"}`,
};

/** The same question in each API, after a call with such arguments. */
const REQUESTS: Record<string, { body: string; passed: string }> = {
  'chat/completions': {
    body: `"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":${ESCAPED}}}]},{"role":"tool","tool_call_id":"t","content":"done"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"id":{"type":"integer","maximum":${ID}}}}}}]`,
    passed: ESCAPED,
  },
  messages: {
    body: `"max_tokens":100,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":${ARGS}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"done"}]}],"tools":[{"name":"f","input_schema":{"type":"object","properties":{"id":{"type":"integer","maximum":${ID}}}}}]`,
    passed: ARGS,
  },
  responses: {
    body: `"store":false,"input":[{"role":"user","content":"hi"},{"type":"function_call","call_id":"t","name":"f","arguments":${ESCAPED}},{"type":"function_call_output","call_id":"t","output":"done"}],"tools":[{"type":"function","strict":false,"name":"f","parameters":{"type":"object","properties":{"id":{"type":"integer","maximum":${ID}}}}}]`,
    passed: ESCAPED,
  },
};

describe.each(Object.entries(CALLING))('large numbers at a provider of %s', (kind, answer) => {
  it.each(Object.entries(REQUESTS))(
    'large numbers reach the provider and come back unchanged, by %s',
    async (path, asked) => {
      provider.respond = (res) => res.writeHead(200, { 'content-type': 'application/json' }).end(answer);
      expect(await post(path, `{"model":"${kind}/model",${asked.body}}`)).toContain(asked.passed);
      const sent = provider.received.at(-1)?.body ?? '';
      expect(sent.includes(ARGS) || sent.includes(ESCAPED), sent).toBe(true);
      expect(sent).toContain(`"maximum":${ID}`);
    },
  );
});

it('large numbers of an event stay unchanged', async () => {
  provider.respond = (res) =>
    res.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${CALLING.gemini}\n\n`);
  for (const [path, { body }] of Object.entries(REQUESTS)) {
    expect(await post(path, `{"model":"gemini/model","stream":true,${body}}`)).toContain(ESCAPED);
  }
});

it('a large number in a setting becomes the nearest one, and no text', async () => {
  provider.respond = (res) => res.writeHead(200, { 'content-type': 'application/json' }).end(CALLING.gemini);
  await post(
    'chat/completions',
    `{"model":"gemini/model","seed":${ID},"messages":[{"role":"user","content":"hi"}]}`,
  );
  expect(provider.received.at(-1)?.body).toContain('"seed":9007199254740992');
});
