import { modelEntry, providerEntry, startGatewayWithKey } from '@model-gateway/test-kit';
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
  await using gateway = await startGatewayWithKey({
    document: (baseUrl) => ({
      providers: [providerEntry('broken', broken.baseUrl), providerEntry('sim', baseUrl)],
      models: [modelEntry('sim/chat-free', { broken: 'any', sim: 'sim-chat-free' })],
    }),
  });
  gateway.provider.script({ content: 'kept' });
  const { status, text } = await sendMessages(gateway, gateway.rawKey, { stream: true });
  expect(status, text).toBe(200);
  expect(readMessageStream(text)).toMatchObject({
    blocks: [{ type: 'text', text: 'kept' }],
    isComplete: true,
  });
});
