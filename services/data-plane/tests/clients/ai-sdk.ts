import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  APICallError,
  generateText,
  isStepCount,
  type LanguageModel,
  type LanguageModelUsage,
  type ModelMessage,
  Output,
  type StepResult,
  streamText,
  type ToolSet,
  tool,
} from 'ai';
import {
  type Asked,
  type ClientKind,
  type ClientTool,
  type Connection,
  MOST_TOKENS,
  THINKING_TOKENS,
  type Told,
  type Usage,
} from './client.ts';

type ProviderOptions = NonNullable<Parameters<typeof generateText>[0]['providerOptions']>;

type Step = Pick<StepResult<ToolSet>, 'text' | 'toolCalls' | 'usage'>;

/** One of the packages by which the AI SDK speaks to a provider. */
interface Package {
  title: string;
  api: ClientKind['api'];
  keepsThoughts: boolean;
  model(connection: Connection): LanguageModel;
  options(asked: Asked): ProviderOptions;
}

const PACKAGES: readonly Package[] = [
  {
    title: 'AI SDK, @ai-sdk/openai-compatible',
    api: 'Chat',
    keepsThoughts: false,
    model: ({ baseUrl, fetch, model, rawKey }) =>
      createOpenAICompatible({
        name: 'gateway',
        baseURL: `${baseUrl}/v1`,
        apiKey: rawKey,
        includeUsage: true,
        supportsStructuredOutputs: true,
        fetch,
      })(model),
    options: ({ thinks }) => (thinks === true ? { gateway: { reasoningEffort: 'low' } } : {}),
  },
  {
    title: 'AI SDK, @ai-sdk/openai',
    api: 'Responses',
    keepsThoughts: true,
    model: ({ baseUrl, fetch, model, rawKey }) =>
      createOpenAI({ baseURL: `${baseUrl}/v1`, apiKey: rawKey, fetch })(model),
    options: ({ thinks }) => {
      // By its name it takes a model for none that reasons, and would not ask it to.
      const reasoning = { forceReasoning: true, reasoningEffort: 'low', reasoningSummary: 'auto' };
      const include = ['reasoning.encrypted_content'];
      return { openai: { store: false, ...(thinks === true ? { ...reasoning, include } : {}) } };
    },
  },
  {
    title: 'AI SDK, @ai-sdk/anthropic',
    api: 'Messages',
    keepsThoughts: true,
    model: ({ baseUrl, fetch, model, rawKey }) =>
      createAnthropic({ baseURL: `${baseUrl}/v1`, apiKey: rawKey, fetch })(model),
    options: ({ thinks }) =>
      thinks === true ? { anthropic: { thinking: { type: 'enabled', budgetTokens: THINKING_TOKENS } } } : {},
  },
];

export const aiSdk: readonly ClientKind[] = PACKAGES.map(({ model, options, ...about }) => ({
  ...about,
  isRateLimit: (error) => APICallError.isInstance(error) && error.statusCode === 429 && error.isRetryable,
  isRejection: (error) => APICallError.isInstance(error) && error.statusCode === 400 && !error.isRetryable,
  connect: (connection) => {
    const request = (asked: Asked) => ({
      model: model(connection),
      messages: [questionOf(asked)],
      maxOutputTokens: MOST_TOKENS,
      maxRetries: 0,
      providerOptions: options(asked),
    });
    const answer = async (asked: Asked, tools: readonly ClientTool[]): Promise<Told[]> => {
      const offered = Object.fromEntries(tools.map((one) => [one.name, executable(one)]));
      const all = { ...request(asked), tools: offered, stopWhen: isStepCount(5) };
      if (!asked.stream) return (await generateText(all)).steps.map(toldIn);
      // The callback alone is told why a stream has failed: what is awaited has the steps before, or none.
      const failures: unknown[] = [];
      const { steps } = streamText({ ...all, onError: ({ error }) => void failures.push(error) });
      const told = await steps.then(
        (done) => done.map(toldIn),
        () => [],
      );
      if (failures.length > 0) throw failures[0];
      return told;
    };
    return {
      async ask(asked) {
        const [told] = await answer(asked, []);
        if (told === undefined) throw new Error('there was no step');
        return told;
      },
      runTools: answer,
      async parse(asked, schema) {
        const all = { ...request(asked), output: Output.object({ schema }) };
        const { output, usage } = asked.stream ? streamText(all) : await generateText(all);
        return { parsed: await output, usage: usageOf(await usage) };
      },
    };
  },
}));

function questionOf({ png, text }: Asked): ModelMessage {
  if (png === undefined) return { role: 'user', content: text };
  return {
    role: 'user',
    content: [
      { type: 'text', text },
      { type: 'image', image: png, mediaType: 'image/png' },
    ],
  };
}

function toldIn({ text, toolCalls, usage }: Step): Told {
  const calls = toolCalls.map(({ input, toolName }) => ({ name: toolName, input }));
  return { text, calls, usage: usageOf(usage) };
}

function usageOf({ inputTokens = 0, outputTokens = 0 }: LanguageModelUsage): Usage {
  return { input: inputTokens, output: outputTokens };
}

function executable({ input, run }: ClientTool) {
  return tool({ inputSchema: input, execute: async (given: unknown) => run(given) });
}
