import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { OpenAIEmbeddings } from '@langchain/openai';
import { withGateway } from '@model-gateway/test-kit';
import { Agent, tool as agentTool, OpenAIProvider, Runner } from '@openai/agents';
import { APICallError, embedMany, generateText, isStepCount, type ModelMessage, tool } from 'ai';
import { CohereClient } from 'cohere-ai';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { allApis, EVERY_KIND, RESPONSES, TRANSLATED } from './all-apis.ts';

/** Tests what tests/clients leaves out of other libraries: embeddings, rankings, agents, storage. */

const gateway = withGateway({ document: allApis });
const connection = () => ({ baseURL: `${gateway.baseUrl}/v1`, apiKey: gateway.rawKey });

it('the AI SDK embeds', async () => {
  const { embeddings } = await embedMany({
    model: createOpenAICompatible({ name: 'gateway', ...connection() }).embeddingModel('sim/embed-free'),
    values: ['one', 'two'],
  });
  expect(embeddings.map(({ length }) => length)).toEqual([256, 256]);
});

it('LangChain embeds', async () => {
  const { apiKey, baseURL } = connection();
  const embeddings = new OpenAIEmbeddings({ model: 'sim/embed-free', apiKey, configuration: { baseURL } });
  const vectors = await embeddings.embedDocuments(['one', 'two']);
  expect(vectors.map(({ length }) => length)).toEqual([256, 256]);
});

it("Cohere's client reranks", async () => {
  // The client appends /v1/rerank to `environment`.
  const cohere = new CohereClient({ token: gateway.rawKey, environment: gateway.baseUrl });
  const answer = await cohere.rerank({
    model: 'sim/rerank-free',
    query: 'red fruit',
    documents: ['a blue car', 'a red fruit'],
    topN: 1,
  });
  expect(answer.results).toEqual([{ index: 1, relevanceScore: expect.any(Number) }]);
});

describe("the AI SDK's openai(id) without `store: false`", () => {
  const weather = tool({
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => `rain in ${city}`,
  });
  const converse = async (model: string) => {
    const common = {
      model: createOpenAI(connection())(model),
      tools: { get_weather: weather },
      stopWhen: isStepCount(5),
      maxRetries: 0,
    };
    const asked: ModelMessage = { role: 'user', content: 'use get_weather: {"city":"Oslo"}' };
    const next: ModelMessage = { role: 'user', content: 'use get_weather: {"city":"Rome"}' };
    const first = await generateText({ ...common, messages: [asked] });
    return generateText({ ...common, messages: [asked, ...first.responseMessages, next] });
  };

  it('a conversation with tools works where the provider stores it', async () => {
    const second = await converse(RESPONSES);
    const results = second.steps.flatMap(({ toolResults }) => toolResults);
    expect(results).toMatchObject([{ output: 'rain in Rome' }]);
    expect(second.text).not.toBe('');
    expect(gateway.provider.requests.at(-1)?.bodyText).toContain('item_reference');
  });

  it.each(TRANSLATED)(
    'the error asks for `store: false` where nobody stores the conversation: %s',
    async (_name, model) => {
      const refused: unknown = await converse(model).catch((error: unknown) => error);
      if (!APICallError.isInstance(refused)) throw refused;
      expect(refused.statusCode).toBe(400);
      expect(refused.message).toContain('store: false');
      expect(refused.isRetryable).toBe(false);
    },
  );
});

describe("OpenAI's Agents SDK", () => {
  const agentTools = (['rain', 'noon'] as const).map((said) =>
    agentTool({
      name: said === 'rain' ? 'get_weather' : 'get_time',
      description: `Says ${said}.`,
      parameters: z.object({ city: z.string() }),
      execute: async ({ city }) => `${said} in ${city}`,
    }),
  );
  const task = [
    'use get_weather: {"city":"Oslo"}',
    'also use get_time: {"city":"Oslo"}',
    'use transfer_to_Clerk: {}',
    'use get_time: {"city":"Rome"}',
  ].join('\n');

  it.each(EVERY_KIND)(
    'an agent calls two tools and hands over to another agent: %s',
    async (_name, model) => {
      const clerk = new Agent({ name: 'Clerk', instructions: 'Answer briefly.', model, tools: agentTools });
      const reporter = { name: 'Reporter', instructions: 'Ask the clerk.', model, tools: agentTools };
      const agent = new Agent({ ...reporter, handoffs: [clerk] });
      const openAIClient = new OpenAI({ ...connection(), maxRetries: 0 });
      const runner = new Runner({
        modelProvider: new OpenAIProvider({ openAIClient, useResponses: true }),
        tracingDisabled: true,
      });
      const plain = await runner.run(agent, task);
      const streamed = await runner.run(agent, task, { stream: true });
      for await (const _event of streamed);
      await streamed.completed;
      for (const { finalOutput, lastAgent, newItems } of [plain, streamed]) {
        expect(lastAgent?.name).toBe('Clerk');
        expect(finalOutput).toContain('noon in Rome');
        const outputs = newItems.flatMap((item) =>
          item.type === 'tool_call_output_item' ? [item.output] : [],
        );
        expect(outputs).toEqual(['rain in Oslo', 'noon in Oslo', 'noon in Rome']);
      }
    },
  );
});
