import { startGateway } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { readMessageStream } from '../../../../packages/dialects/tests/messages-grammar.ts';
import { startScriptedProvider } from '../providers/scripted-provider.ts';
import { sendMessages } from './messages-requests.ts';

const GOOD = 'data: {"choices":[{"index":0,"delta":{"content":"lost"},"finish_reason":null}]}\n\n';

it('a message whose provider breaks before the first byte starts again at the next provider', async () => {
  await using broken = await startScriptedProvider((res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    // In one piece, so that the first event is not out yet when the second one is read.
    res.end(`${GOOD}data: {not json\n\n`);
  });
  const common = { kind: 'openai-compatible' as const, credential_env: 'SIMULATED_API_KEY' };
  await using gateway = await startGateway({
    document: (baseUrl) => ({
      providers: [
        { ...common, id: 'broken', name: 'Broken', base_url: broken.baseUrl },
        { ...common, id: 'sim', name: 'Simulated', base_url: baseUrl },
      ],
      models: [
        {
          id: 'sim/chat-free',
          name: 'Chat',
          capability: 'chat',
          tier: 'free',
          upstreams: [
            { provider: 'broken', model: 'any', priority: 1 },
            { provider: 'sim', model: 'sim-chat-free', priority: 2 },
          ],
        },
      ],
    }),
  });
  const { rawKey } = await gateway.createKey();
  gateway.provider.script({ content: 'kept' });
  const { status, text } = await sendMessages(gateway, rawKey, { stream: true });
  expect(status, text).toBe(200);
  expect(readMessageStream(text)).toMatchObject({
    blocks: [{ type: 'text', text: 'kept' }],
    isComplete: true,
  });
});
