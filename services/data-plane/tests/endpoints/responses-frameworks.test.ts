import { createOpenAI } from '@ai-sdk/openai';
import { withGateway } from '@model-gateway/test-kit';
import { Agent, tool as agentTool, OpenAIProvider, Runner } from '@openai/agents';
import { APICallError, generateText, isStepCount, type ModelMessage, Output, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { allApis, EVERY_KIND, RESPONSES, TRANSLATED } from './all-apis.ts';

let apiKey: string;
let baseURL: string;

const gateway = withGateway({ document: allApis });
beforeAll(async () => {
  ({ rawKey: apiKey } = await gateway.createKey());
  baseURL = `${gateway.baseUrl}/v1`;
});

/** What the provider was sent last. */
function lastBody(): string {
  return gateway.provider.requests.at(-1)?.bodyText ?? '';
}

describe("the AI SDK's openai(id)", () => {
  const openai = () => createOpenAI({ baseURL, apiKey });
  const tools = {
    get_weather: tool({
      description: 'The weather of a city.',
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => `rain in ${city}`,
    }),
    get_time: tool({
      description: 'The time in a city.',
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => `noon in ${city}`,
    }),
  };
  const asked: ModelMessage = {
    role: 'user',
    content: 'use get_weather: {"city":"Oslo"}\nuse get_time: {"city":"Rome"}',
  };
  const next: ModelMessage = { role: 'user', content: 'use get_weather: {"city":"Rome"}' };
  const stateless = { openai: { store: false } };
  const common = (model: string) => ({
    model: openai()(model),
    tools,
    stopWhen: isStepCount(5),
    maxRetries: 0,
  });

  it.each(EVERY_KIND)(
    'holds two turns with tools where it sends `store: false`, plain and streamed: %s',
    async (_name, model) => {
      const first = await generateText({
        ...common(model),
        messages: [asked],
        providerOptions: stateless,
      });
      expect(first.steps.map(({ toolResults }) => toolResults.map(({ output }) => output))).toEqual([
        ['rain in Oslo'],
        ['noon in Rome'],
        [],
      ]);
      expect(first.text).not.toBe('');
      expect(first.totalUsage.outputTokens).toBeGreaterThan(0);

      const second = streamText({
        ...common(model),
        messages: [asked, ...first.responseMessages, next],
        providerOptions: stateless,
      });
      expect(await second.text).not.toBe('');
      expect(await second.finishReason).toBe('stop');
      const results = (await second.steps).flatMap(({ toolResults }) => toolResults);
      expect(results.map(({ output }) => output)).toEqual(['rain in Rome']);
      expect(lastBody()).not.toContain('item_reference');
    },
  );

  it('holds two turns with tools without it, where the provider keeps what was said', async () => {
    const first = await generateText({ ...common(RESPONSES), messages: [asked] });
    const messages = [asked, ...first.responseMessages, next];
    const second = await generateText({ ...common(RESPONSES), messages });
    expect(second.steps.flatMap(({ toolResults }) => toolResults)).toMatchObject([
      { output: 'rain in Rome' },
    ]);
    expect(second.text).not.toBe('');
    expect(lastBody()).toContain('item_reference');
  });

  it.each(TRANSLATED)(
    'is told to send `store: false` before it goes on from words that nobody keeps: %s',
    async (_name, model) => {
      const talk = async () => {
        const first = await generateText({ ...common(model), messages: [asked] });
        await generateText({ ...common(model), messages: [asked, ...first.responseMessages, next] });
      };
      const refused: unknown = await talk().catch((error: unknown) => error);
      if (!APICallError.isInstance(refused)) throw refused;
      expect(refused.statusCode).toBe(400);
      expect(refused.message).toContain('store: false');
      expect(refused.isRetryable).toBe(false);
    },
  );

  it.each(EVERY_KIND)('generates an object for a schema: %s', async (_name, model) => {
    const { output } = await generateText({
      model: openai()(model),
      prompt: 'Why is the sky blue?',
      output: Output.object({ schema: z.object({ colour: z.enum(['blue']) }) }),
      providerOptions: stateless,
      maxRetries: 0,
    });
    expect(output).toEqual({ colour: 'blue' });
  });
});

describe("OpenAI's Agents SDK", () => {
  const weather = agentTool({
    name: 'get_weather',
    description: 'The weather of a city.',
    parameters: z.object({ city: z.string() }),
    execute: async ({ city }) => `rain in ${city}`,
  });
  const time = agentTool({
    name: 'get_time',
    description: 'The time in a city.',
    parameters: z.object({ city: z.string() }),
    execute: async ({ city }) => `noon in ${city}`,
  });
  const task = [
    'use get_weather: {"city":"Oslo"}',
    'also use get_time: {"city":"Oslo"}',
    'use transfer_to_Clerk: {}',
    'use get_time: {"city":"Rome"}',
  ].join('\n');

  it.each(EVERY_KIND)(
    'runs an agent with two tools, and hands over to another one: %s',
    async (_name, model) => {
      const clerk = new Agent({ name: 'Clerk', instructions: 'Answer briefly.', model, tools: [time] });
      const agent = new Agent({
        name: 'Reporter',
        instructions: 'Ask the clerk.',
        model,
        tools: [weather, time],
        handoffs: [clerk],
      });
      const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
      const runner = new Runner({
        modelProvider: new OpenAIProvider({ openAIClient: client, useResponses: true }),
        tracingDisabled: true,
      });
      const plain = await runner.run(agent, task);
      expect(plain.lastAgent?.name).toBe('Clerk');
      expect(plain.finalOutput).toContain('noon in Rome');
      const outputs = plain.newItems.flatMap((item) =>
        item.type === 'tool_call_output_item' ? [item.output] : [],
      );
      expect(outputs).toEqual(['rain in Oslo', 'noon in Oslo', 'noon in Rome']);

      const streamed = await runner.run(agent, task, { stream: true });
      for await (const _event of streamed);
      await streamed.completed;
      expect(streamed.lastAgent?.name).toBe('Clerk');
      expect(streamed.finalOutput).toContain('noon in Rome');
    },
  );
});
