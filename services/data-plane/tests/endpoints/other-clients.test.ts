import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { withGateway } from '@model-gateway/test-kit';
import { embedMany, generateText, streamText } from 'ai';
import { CohereClient } from 'cohere-ai';
import { beforeAll, describe, expect, it } from 'vitest';

let apiKey: string;
let baseURL: string;

const gateway = withGateway();
beforeAll(async () => {
  ({ rawKey: apiKey } = await gateway.createKey());
  baseURL = `${gateway.baseUrl}/v1`;
});

describe('the Vercel AI SDK', () => {
  const gatewayProvider = () =>
    createOpenAICompatible({ name: 'gateway', baseURL, apiKey, includeUsage: true });

  it('generates and streams text, with usage', async () => {
    const whole = await generateText({ model: gatewayProvider()('sim/chat-free'), prompt: 'Say hello.' });
    expect(whole.text).toMatch(/\w+/);
    expect(whole.usage.outputTokens).toBeGreaterThan(0);
    const stream = streamText({ model: gatewayProvider()('sim/chat-free'), prompt: 'Say hello.' });
    let text = '';
    for await (const piece of stream.textStream) text += piece;
    expect(text).toBe(whole.text);
    expect((await stream.usage).outputTokens).toBe(whole.usage.outputTokens);
  });

  it('embeds', async () => {
    const { embeddings } = await embedMany({
      model: gatewayProvider().embeddingModel('sim/embed-free'),
      values: ['one', 'two'],
    });
    expect(embeddings.map(({ length }) => length)).toEqual([256, 256]);
  });
});

describe('LangChain', () => {
  it('chats, streams and embeds', async () => {
    const chat = new ChatOpenAI({ model: 'sim/chat-free', apiKey, configuration: { baseURL } });
    const message = await chat.invoke('Say hello.');
    expect(message.text).toMatch(/\w+/);
    expect(message).toMatchObject({ usage_metadata: { output_tokens: expect.any(Number) } });
    let text = '';
    for await (const chunk of await chat.stream('Say hello.')) text += chunk.text;
    expect(text).toBe(message.text);
    const embeddings = new OpenAIEmbeddings({ model: 'sim/embed-free', apiKey, configuration: { baseURL } });
    const [first, second] = await embeddings.embedDocuments(['one', 'two']);
    expect([first?.length, second?.length]).toEqual([256, 256]);
  });
});

describe("Cohere's client", () => {
  it('reranks', async () => {
    // It asks for /v1/rerank below its environment.
    const cohere = new CohereClient({ token: apiKey, environment: gateway.baseUrl });
    const answer = await cohere.rerank({
      model: 'sim/rerank-free',
      query: 'red fruit',
      documents: ['a blue car', 'a red fruit'],
      topN: 1,
    });
    expect(answer.results).toEqual([{ index: 1, relevanceScore: expect.any(Number) }]);
  });
});
