import Anthropic from '@anthropic-ai/sdk';
import { readCarriedReasoning } from '@model-gateway/dialects';
import { usageReceipt } from '@model-gateway/shared';
import { until, withGateway, withStarted } from '@model-gateway/test-kit';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bedrockDocument } from '../providers/bedrock.ts';
import {
  findRecordedConverse,
  type RecordedConverse,
  type SaidByConverse,
  saidIn,
  startReplayingRuntime,
} from './recorded-bedrock.ts';

const { answers, missing } = findRecordedConverse();
const MODEL = 'bedrock/nova';
/** Of the catalog, in nano-USD for a token. */
const [INPUT_PRICE, OUTPUT_PRICE] = [3_000, 15_000];
type Told = Omit<SaidByConverse, 'usage'>;

describe.skipIf(missing !== undefined)('a recorded answer of Converse', () => {
  const runtime = withStarted(() => startReplayingRuntime());
  const gateway = withGateway(() => ({
    document: () => bedrockDocument(runtime.baseUrl, 'SIMULATED_API_KEY'),
  }));

  const each = answers.map((answer) => [answer.name, answer] as const);

  it.each(each)('loses nothing in Chat Completions, and costs what it says: %s', async (_name, answer) => {
    const said = saidIn(answer);
    const { id, response } = await ask('chat/completions', answer, { messages: asked(said) });
    const text = await response.text();
    expect(response.status, text).toBe(200);
    const parts = isStream(answer)
      ? deltasIn(text)
      : [completion.parse(JSON.parse(text)).choices[0]?.message];
    expect(toldIn(parts)).toEqual(withoutUsage(said));
    await expectCharge(id, said);
  });

  it.each(each)('loses nothing in Messages, and costs the same: %s', async (_name, answer) => {
    const said = saidIn(answer);
    const client = new Anthropic({
      baseURL: gateway.baseUrl,
      authToken: gateway.rawKey,
      apiKey: null,
      maxRetries: 0,
    });
    const request = { model: MODEL, max_tokens: mostOf(said), messages: asked(said) };
    runtime.replay(answer);
    const { message, requestId } = isStream(answer)
      ? await streamed(client, request)
      : await client.messages
          .create(request)
          .withResponse()
          .then(({ data, request_id }) => ({ message: data, requestId: request_id }));
    const of = <Type extends string>(type: Type) =>
      message.content.filter((block): block is Extract<typeof block, { type: Type }> => block.type === type);
    expect({
      text: of('text')
        .map((block) => block.text)
        .join(''),
      reasoning: of('thinking')
        .map((block) => block.thinking)
        .join(''),
      // In the form in which they come back only to a model that is asked by Converse.
      signatures: of('thinking').map(
        (block) => readCarriedReasoning(block.signature)?.detail?.signature ?? block.signature,
      ),
      calls: of('tool_use').map(({ id, input, name }) => ({ id, name, input })),
    }).toEqual(withoutUsage(said));
    await expectCharge(requestId ?? '', said);
  });

  it.each(each)('loses nothing in Responses, and costs the same: %s', async (_name, answer) => {
    const said = saidIn(answer);
    const client = new OpenAI({ baseURL: `${gateway.baseUrl}/v1`, apiKey: gateway.rawKey, maxRetries: 0 });
    runtime.replay(answer);
    const request = {
      model: MODEL,
      input: promptOf(said),
      max_output_tokens: Math.max(16, mostOf(said)),
      store: false,
    };
    const { data, request_id } = isStream(answer)
      ? await streamedResponse(client, request)
      : await client.responses.create(request).withResponse();
    const calls = data.output.filter((item) => item.type === 'function_call');
    const thoughts = data.output.filter((item) => item.type === 'reasoning');
    expect(data.output_text).toBe(said.text);
    expect(thoughts.flatMap(({ summary }) => summary.map((part) => part.text)).join('')).toBe(said.reasoning);
    expect(
      calls.map((call) => ({ id: call.call_id, name: call.name, input: JSON.parse(call.arguments) })),
    ).toEqual(said.calls);
    await expectCharge(request_id ?? '', said);
  });

  async function ask(path: string, answer: RecordedConverse, request: object) {
    runtime.replay(answer);
    const response = await gateway.post(path, {
      model: MODEL,
      stream: isStream(answer),
      max_tokens: mostOf(saidIn(answer)),
      ...request,
    });
    return { id: response.headers.get('x-request-id') ?? '', response };
  }

  async function expectCharge(requestId: string, { usage }: SaidByConverse): Promise<void> {
    const receipt = () =>
      fetch(`${gateway.baseUrl}/v1/usage/requests/${requestId}`, {
        headers: { authorization: `Bearer ${gateway.rawKey}` },
      });
    await until(async () => (await receipt()).status === 200);
    const { settled_usd, units, usage_source } = usageReceipt.parse(await (await receipt()).json());
    expect(usage_source).toBe(usage === undefined ? 'estimated' : 'provider');
    if (usage === undefined) return;
    const { inputTokens, outputTokens } = usage;
    expect(units).toMatchObject({ input_tokens: inputTokens, output_tokens: outputTokens });
    const nanoUsd = Math.round(Number(settled_usd) * 1e9);
    expect(nanoUsd).toBe(inputTokens * INPUT_PRICE + outputTokens * OUTPUT_PRICE);
  }
});

async function streamed(client: Anthropic, request: Anthropic.MessageCreateParamsNonStreaming) {
  const stream = client.messages.stream(request);
  const message = await stream.finalMessage();
  return { message, requestId: stream.request_id };
}

async function streamedResponse(
  client: OpenAI,
  request: OpenAI.Responses.ResponseCreateParamsNonStreaming,
): Promise<{ data: OpenAI.Responses.Response; request_id: string | null }> {
  const { data, request_id } = await client.responses.create({ ...request, stream: true }).withResponse();
  for await (const event of data) {
    if (event.type !== 'response.completed') continue;
    const texts = event.response.output.flatMap((item) => (item.type === 'message' ? item.content : []));
    const output_text = texts.map((part) => (part.type === 'output_text' ? part.text : '')).join('');
    return { data: { ...event.response, output_text }, request_id };
  }
  throw new Error('the stream has no end');
}

/** Long enough for what the answer has used to be set aside. */
function promptOf({ usage }: SaidByConverse): string {
  return 'a '.repeat(usage?.inputTokens ?? 500);
}

function asked(said: SaidByConverse): { role: 'user'; content: string }[] {
  return [{ role: 'user', content: promptOf(said) }];
}

function mostOf({ usage }: SaidByConverse): number {
  return usage?.outputTokens ?? 500;
}

function isStream({ content }: RecordedConverse): boolean {
  return 'events' in content;
}

function withoutUsage({ usage: _usage, ...told }: SaidByConverse): Told {
  return told;
}

const call = z.object({
  index: z.int().default(0),
  id: z.string().default(''),
  function: z.object({ name: z.string().default(''), arguments: z.string().default('') }),
});
const part = z.looseObject({
  content: z.string().nullish(),
  reasoning_content: z.string().default(''),
  reasoning_details: z.array(z.looseObject({ signature: z.string().default('') })).default([]),
  tool_calls: z.array(call).default([]),
});
type Part = z.infer<typeof part>;
const completion = z.looseObject({ choices: z.array(z.looseObject({ message: part })) });
const chunk = z.looseObject({ choices: z.array(z.looseObject({ delta: part })) });

function deltasIn(text: string): Part[] {
  expect(text).toMatch(/data: \[DONE\]\n\n$/);
  return [...text.matchAll(/^data: (\{.*)$/gm)].flatMap(([, data = '']) =>
    chunk.parse(JSON.parse(data)).choices.map(({ delta }) => delta),
  );
}

function toldIn(parts: readonly (Part | undefined)[]): Told {
  const all = parts.flatMap((one) => one ?? []);
  const calls = new Map<string, { id: string; name: string; input: string }>();
  for (const [position, { function: said, id, index }] of all.flatMap((one) => one.tool_calls).entries()) {
    // In a whole answer calls have no numbers.
    const key = parts.length === 1 ? String(position) : String(index);
    const known = calls.get(key) ?? { id: '', name: '', input: '' };
    calls.set(key, {
      id: known.id + id,
      name: known.name + said.name,
      input: known.input + said.arguments,
    });
  }
  return {
    text: all.map(({ content }) => content ?? '').join(''),
    reasoning: all.map(({ reasoning_content }) => reasoning_content).join(''),
    signatures: all.flatMap((one) => one.reasoning_details.flatMap(({ signature }) => signature || [])),
    calls: [...calls.values()].map(({ input, ...rest }) => ({ ...rest, input: JSON.parse(input) })),
  };
}
