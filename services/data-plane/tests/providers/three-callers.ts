import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { z } from 'zod';

/** What is asked, in the words of none of the three APIs. */
export interface AskedOf {
  model: string;
  text: string;
  stream: boolean;
  tools?: readonly { name: string; parameters: { type: 'object'; [member: string]: unknown } }[];
}

/** What a caller was told, whichever API it speaks. */
export interface Told {
  text: string;
  thoughts: string;
  calls: { id: string; name: string; input: unknown }[];
  /** In the words of its own API. */
  stop: string;
  usage: { input: number; output: number };
  requestId: string;
}

type Heard = Omit<Told, 'requestId'>;

export interface Caller {
  title: string;
  path: string;
  /** The words of its API for the end of an answer, one that calls tools, and one that was cut. */
  stops: { end: string; calls: string; cut: string };
  ask(baseUrl: string, rawKey: string, asked: AskedOf): Promise<Told>;
}

/** The three APIs of chats, each asked by its own client. */
export const CALLERS: readonly Caller[] = [
  {
    title: 'Chat Completions',
    path: '/v1/chat/completions',
    stops: { end: 'stop', calls: 'tool_calls', cut: 'length' },
    ask: (baseUrl, apiKey, asked) =>
      withRequestId((fetch) =>
        inCompletions(new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, maxRetries: 0, fetch }), asked),
      ),
  },
  {
    title: 'Messages',
    path: '/v1/messages',
    stops: { end: 'end_turn', calls: 'tool_use', cut: 'max_tokens' },
    ask: (baseURL, apiKey, asked) =>
      withRequestId((fetch) =>
        inMessages(new Anthropic({ baseURL, authToken: apiKey, apiKey: null, maxRetries: 0, fetch }), asked),
      ),
  },
  {
    title: 'Responses',
    path: '/v1/responses',
    stops: { end: 'completed', calls: 'completed', cut: 'incomplete' },
    ask: (baseUrl, apiKey, asked) =>
      withRequestId((fetch) =>
        inResponses(new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, maxRetries: 0, fetch }), asked),
      ),
  },
];

const MOST = 2_000;
const part = z.looseObject({
  content: z.string().nullish(),
  reasoning_content: z.string().nullish(),
});

async function withRequestId(ask: (fetchLike: typeof fetch) => Promise<Heard>): Promise<Told> {
  let requestId = '';
  const heard = await ask(async (input, init) => {
    const response = await fetch(input, init);
    requestId = response.headers.get('x-request-id') ?? '';
    return response;
  });
  return { ...heard, requestId };
}

async function inCompletions(client: OpenAI, { model, stream, text, tools }: AskedOf): Promise<Heard> {
  const request = {
    model,
    max_completion_tokens: MOST,
    messages: [{ role: 'user' as const, content: text }],
    ...(tools === undefined
      ? {}
      : { tools: tools.map((one) => ({ type: 'function' as const, function: { ...one } })) }),
  };
  const calls: { id: string; name: string; input: string }[] = [];
  const told = { text: '', thoughts: '', stop: '', usage: { input: 0, output: 0 } };
  const add = (given: unknown, usage: OpenAI.CompletionUsage | null | undefined) => {
    const { content, reasoning_content } = part.parse(given);
    told.text += content ?? '';
    told.thoughts += reasoning_content ?? '';
    if (usage) told.usage = { input: usage.prompt_tokens, output: usage.completion_tokens };
  };
  if (!stream) {
    const { choices, usage } = await client.chat.completions.create(request);
    const [choice] = choices;
    add(choice?.message, usage);
    for (const call of choice?.message.tool_calls ?? []) {
      if (call.type === 'function') {
        calls.push({ id: call.id, name: call.function.name, input: call.function.arguments });
      }
    }
    told.stop = choice?.finish_reason ?? '';
  } else {
    const options = { stream: true as const, stream_options: { include_usage: true } };
    for await (const { choices, usage } of await client.chat.completions.create({ ...request, ...options })) {
      const [choice] = choices;
      add(choice?.delta ?? {}, usage);
      for (const { function: called, id, index } of choice?.delta.tool_calls ?? []) {
        const call = calls[index] ?? { id: id ?? '', name: called?.name ?? '', input: '' };
        calls[index] = { ...call, input: call.input + (called?.arguments ?? '') };
      }
      told.stop = choice?.finish_reason ?? told.stop;
    }
  }
  return { ...told, calls: calls.map((call) => ({ ...call, input: JSON.parse(call.input) })) };
}

async function inMessages(client: Anthropic, { model, stream, text, tools }: AskedOf): Promise<Heard> {
  const request: Anthropic.MessageCreateParamsNonStreaming = {
    model,
    max_tokens: MOST,
    messages: [{ role: 'user', content: text }],
    ...(tools === undefined
      ? {}
      : { tools: tools.map(({ name, parameters }) => ({ name, input_schema: parameters })) }),
  };
  const { content, stop_reason, usage } = stream
    ? await client.messages.stream(request).finalMessage()
    : await client.messages.create(request);
  return {
    text: content.flatMap((block) => (block.type === 'text' ? block.text : [])).join(''),
    thoughts: content.flatMap((block) => (block.type === 'thinking' ? block.thinking : [])).join(''),
    calls: content.flatMap((block) =>
      block.type === 'tool_use' ? { id: block.id, name: block.name, input: block.input } : [],
    ),
    stop: stop_reason ?? '',
    usage: { input: usage.input_tokens, output: usage.output_tokens },
  };
}

async function inResponses(client: OpenAI, { model, stream, text, tools }: AskedOf): Promise<Heard> {
  const request = {
    model,
    store: false,
    max_output_tokens: MOST,
    input: text,
    ...(tools === undefined
      ? {}
      : { tools: tools.map((one) => ({ type: 'function' as const, strict: false, ...one })) }),
  };
  const { output, status, usage } = stream
    ? await client.responses.stream(request).finalResponse()
    : await client.responses.create(request);
  return {
    text: output
      .flatMap((item) => (item.type === 'message' ? item.content : []))
      .map((one) => (one.type === 'output_text' ? one.text : ''))
      .join(''),
    thoughts: output
      .flatMap((item) => (item.type === 'reasoning' ? [...(item.content ?? []), ...item.summary] : []))
      .map((one) => one.text)
      .join(''),
    calls: output.flatMap((item) =>
      item.type === 'function_call'
        ? { id: item.call_id, name: item.name, input: JSON.parse(item.arguments) }
        : [],
    ),
    stop: status ?? '',
    usage: { input: usage?.input_tokens ?? 0, output: usage?.output_tokens ?? 0 },
  };
}
