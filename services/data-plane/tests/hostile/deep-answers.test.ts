import {
  modelEntry,
  providerEntry,
  withGateway,
  withoutCredential,
  withStarted,
} from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { startScriptedProvider } from '../providers/scripted-provider.ts';

/** JSON of a million brackets takes the parser a second, in which nobody else is answered. */

const provider = withStarted(() => startScriptedProvider());
const gateway = withGateway(() => {
  const { baseUrl } = provider;
  return {
    document: () => ({
      providers: [
        withoutCredential(providerEntry('chat', baseUrl)),
        withoutCredential(providerEntry('gemini', baseUrl, { kind: 'gemini' })),
      ],
      models: ['chat', 'gemini'].map((id) => modelEntry(`${id}/model`, { [id]: 'gemini-2.5-pro' })),
    }),
  };
});

/** Longer than what is parsed whatever is in it. */
const FILLER = 'x'.repeat(64 * 1024);
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const completion = (depth: number, written: string) =>
  `{"id":"c","object":"${written === 'delta' ? 'chat.completion.chunk' : 'chat.completion'}","created":1,"model":"m","filler":"${FILLER}","more":${nested(depth)},` +
  `"choices":[{"index":0,"${written}":{"role":"assistant","content":"said"},"finish_reason":"stop"}]}`;
const content = (depth: number) =>
  `{"filler":"${FILLER}","more":${nested(depth)},` +
  '"candidates":[{"content":{"role":"model","parts":[{"text":"said"}]},"finishReason":"STOP"}]}';

async function ask(model: string, stream: boolean, body: string): Promise<string> {
  provider.respond = (res) => {
    res.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' });
    res.end(stream ? `data: ${body}\n\ndata: [DONE]\n\n` : body);
  };
  const messages = [{ role: 'user', content: 'hi' }];
  return (await gateway.ask('chat/completions', { model, stream, messages })).body;
}

it.each<[string, string, boolean, (depth: number) => string]>([
  ['an event of Chat Completions', 'chat/model', true, (depth) => completion(depth, 'delta')],
  ['a completion', 'chat/model', false, (depth) => completion(depth, 'message')],
  ['an answer of Gemini', 'gemini/model', false, content],
])('%s may nest up to a bound', async (_name, model, stream, body) => {
  expect(await ask(model, stream, body(500))).toContain('"said"');
  const answer = await ask(model, stream, body(600));
  expect(answer).toContain('"upstream_error"');
  expect(answer).not.toContain('"said"');
});
