import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NO_UNITS } from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ChatCompletionsWriter } from '../../callers/chat-completions/chat-completions-writer.ts';
import { ChatMeter } from '../../usage/chat-meter.ts';
import { anthropicUsage, countAnthropicUsage } from './anthropic-usage.ts';
import { convertAnthropicMessageToChat } from './convert-anthropic-message-to-chat.ts';
import { AnthropicStreamToChat } from './convert-anthropic-stream-to-chat.ts';

/**
 * Answers that were recorded at the provider: `anthropic/*.json`, and `anthropic/*.chunks.txt` with the data
 * of one event a line.
 */
const folder = join(process.env.RECORDED_ANSWERS ?? '', 'anthropic');
const isThere = process.env.RECORDED_ANSWERS !== undefined && existsSync(folder);
const files = isThere ? readdirSync(folder).sort() : [];
const MODEL = 'anthropic/claude';

const block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  thinking: z.string().optional(),
  signature: z.string().optional(),
  data: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
});
type Block = z.infer<typeof block>;
const counts = z.looseObject({
  model: z.string().optional(),
  input_tokens: z.int().optional(),
  output_tokens: z.int().optional(),
  cache_read_input_tokens: z.int().optional(),
  cache_creation_input_tokens: z.int().optional(),
  output_tokens_details: z.looseObject({ thinking_tokens: z.int() }).optional(),
  cache_creation: z.looseObject({ ephemeral_1h_input_tokens: z.int() }).optional(),
});
const recordedUsage = counts.extend({
  output_tokens_details: z.looseObject({ thinking_tokens: z.int() }).optional(),
  iterations: z.array(counts).optional(),
  server_tool_use: z.looseObject({ web_search_requests: z.int() }).optional(),
});
const recordedMessage = z.looseObject({
  content: z.array(block),
  stop_reason: z.string().nullable(),
  usage: recordedUsage,
});
const recordedEvent = z.looseObject({
  type: z.string(),
  index: z.int().default(-1),
  message: z.looseObject({ usage: recordedUsage }).optional(),
  content_block: block.optional(),
  delta: z
    .looseObject({
      text: z.string().default(''),
      thinking: z.string().default(''),
      signature: z.string().default(''),
      partial_json: z.string().default(''),
      stop_reason: z.string().nullish(),
    })
    .optional(),
  usage: recordedUsage.optional(),
});
type RecordedEvent = z.infer<typeof recordedEvent>;

const toolCall = z.object({
  index: z.int().default(0),
  id: z.string().default(''),
  function: z.looseObject({ name: z.string().default(''), arguments: z.string() }),
});
const told = z.looseObject({
  content: z.string().nullish(),
  reasoning_content: z.string().default(''),
  reasoning_details: z
    .array(z.looseObject({ index: z.int(), signature: z.string().optional(), data: z.string().optional() }))
    .default([]),
  tool_calls: z.array(toolCall).default([]),
});
type Told = z.infer<typeof told>;
const answer = z.looseObject({
  choices: z.array(
    z.looseObject({
      message: told.optional(),
      delta: told.optional(),
      finish_reason: z.string().nullable(),
    }),
  ),
  usage: z.unknown().optional(),
});

function caller() {
  const max = { ...NO_UNITS, inputTokens: 1_000_000, outputTokens: 1_000_000 };
  const meter = new ChatMeter([Buffer.from('{}')], { max, mediaParts: 0, mediaPartTokens: 0 });
  return { meter, caller: new ChatCompletionsWriter(meter, MODEL, true) };
}

/** Returns the text of a message's blocks. */
function saidIn(content: readonly Block[]) {
  const all = (type: string) => content.filter((one) => one.type === type);
  return {
    text: all('text')
      .map(({ text }) => text)
      .join(''),
    reasoning: all('thinking')
      .map(({ thinking }) => thinking)
      .join(''),
    thoughts: content
      .filter(({ type }) => type === 'thinking' || type === 'redacted_thinking')
      .map(({ data, signature }) => data ?? signature),
    calls: all('tool_use').map(({ id, input, name }) => ({ id, name, input })),
  };
}

/** The same, read from a completion. */
function toldIn({ content, reasoning_content, reasoning_details, tool_calls }: Told) {
  return {
    text: content ?? '',
    reasoning: reasoning_content,
    thoughts: reasoning_details.map(({ data, signature }) => data ?? signature),
    calls: tool_calls.map(({ function: called, id }) => ({
      id,
      name: called.name,
      input: JSON.parse(called.arguments),
    })),
  };
}

/** The message that events tell, put together without the translator. */
function messageOf(events: readonly RecordedEvent[]): z.infer<typeof recordedMessage> {
  const content: (Block & { json: string })[] = [];
  let usage: z.infer<typeof recordedUsage> = {};
  let stop_reason: string | null = null;
  for (const { content_block, delta, index, message, type, usage: told } of events) {
    if (message !== undefined) usage = message.usage;
    if (content_block !== undefined) content[index] = { ...content_block, json: '' };
    if (told !== undefined) usage = { ...usage, ...told };
    if (type === 'message_delta') stop_reason = delta?.stop_reason ?? null;
    const open = content[index];
    if (type !== 'content_block_delta' || open === undefined || delta === undefined) continue;
    open.text = (open.text ?? '') + delta.text;
    open.thinking = (open.thinking ?? '') + delta.thinking;
    open.signature = (open.signature ?? '') + delta.signature;
    open.json += delta.partial_json;
  }
  const whole = content.map(({ json, ...one }) => (json === '' ? one : { ...one, input: JSON.parse(json) }));
  return { content: whole, usage, stop_reason };
}

/** A client that gathers chunks. */
function gathered(deltas: readonly Told[]): Told {
  const message: Told = { content: '', reasoning_content: '', reasoning_details: [], tool_calls: [] };
  for (const { content, reasoning_content, reasoning_details, tool_calls } of deltas) {
    message.content += content ?? '';
    message.reasoning_content += reasoning_content;
    for (const detail of reasoning_details) {
      message.reasoning_details[detail.index] = { ...message.reasoning_details[detail.index], ...detail };
    }
    for (const call of tool_calls) {
      const known = message.tool_calls[call.index];
      if (known === undefined) message.tool_calls[call.index] = call;
      else known.function.arguments += call.function.arguments;
    }
  }
  return message;
}

/** In the units that are billed, by hand. */
function unitsOf(usage: z.infer<typeof counts>) {
  const read = usage.cache_read_input_tokens ?? 0;
  const written = usage.cache_creation_input_tokens ?? 0;
  const thought = usage.output_tokens_details?.thinking_tokens ?? 0;
  const hour = usage.cache_creation?.ephemeral_1h_input_tokens ?? 0;
  return {
    inputTokens: (usage.input_tokens ?? 0) + read + written,
    cachedInputTokens: read,
    cacheWriteTokens: written - hour,
    cacheWrite1hTokens: hour,
    outputTokens: usage.output_tokens ?? 0,
    ...(thought === 0 ? {} : { reasoningTokens: thought }),
  };
}

function expectUsage(shown: unknown, recorded: z.infer<typeof recordedUsage>) {
  const units = unitsOf(recorded);
  expect(shown).toMatchObject({
    prompt_tokens: units.inputTokens,
    completion_tokens: units.outputTokens,
    total_tokens: units.inputTokens + units.outputTokens,
    prompt_tokens_details: {
      cached_tokens: units.cachedInputTokens,
      cache_write_tokens: units.cacheWriteTokens + units.cacheWrite1hTokens,
    },
  });
  const counted = countAnthropicUsage(anthropicUsage.parse(recorded));
  const searches = recorded.server_tool_use?.web_search_requests ?? 0;
  const thinking = recorded.output_tokens_details?.thinking_tokens ?? 0;
  expect(counted.units).toEqual({
    ...units,
    ...(thinking === 0 ? {} : { reasoningTokens: thinking }),
    ...(searches === 0 ? {} : { webSearchRequests: searches }),
  });
  const turns = (recorded.iterations ?? []).map((one) => ({ model: one.model, units: unitsOf(one) }));
  expect(counted.turns ?? []).toEqual(turns);
}

if (!isThere)
  console.info('RECORDED_ANSWERS names no folder: recorded answers of Anthropic are not replayed.');

describe.skipIf(!isThere)('recorded responses of Anthropic, converted to Chat Completions', () => {
  const whole = files.filter((file) => file.endsWith('.json'));
  it.each(whole)('the recorded answer %s loses nothing in the shape of Chat Completions', (file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    const recorded = recordedMessage.parse(JSON.parse(text));
    const { body, usage } = convertAnthropicMessageToChat(caller().caller, MODEL).whole(
      JSON.parse(text),
      text,
    );
    const completion = answer.parse(body);
    const [choice] = completion.choices;
    expect(choice?.message && toldIn(choice.message)).toEqual(saidIn(recorded.content));
    expect(choice?.finish_reason === 'tool_calls').toBe(recorded.stop_reason === 'tool_use');
    expectUsage(completion.usage, recorded.usage);
    expect(usage).toMatchObject({ source: 'provider', outputTokens: recorded.usage.output_tokens });
  });

  const streamed = files.filter((file) => file.endsWith('.chunks.txt'));
  it.each(streamed)('the recorded answer %s becomes one whole message, or an error', (file) => {
    const lines = readFileSync(join(folder, file), 'utf8').split('\n');
    const data = lines.filter((line) => line.trim() !== '');
    const events = data.map((line) => recordedEvent.parse(JSON.parse(line)));
    const types = events.map(({ type }) => type);
    const { caller: to, meter } = caller();
    const translator = new AnthropicStreamToChat(to, MODEL);
    const translate = () => data.map((line) => translator.translate(line));
    const starts = types.filter((type) => type === 'message_start').length;
    if (starts !== 1 || types.at(-1) !== 'message_stop') {
      expect(translate).toThrow(expect.objectContaining({ code: 'upstream_error' }));
      return;
    }
    const translated = translate();
    expect(translated.map(({ done }) => done)).toEqual(types.map((type) => type === 'message_stop'));
    const sent = translated
      .map(({ text }) => text)
      .join('')
      .split('\n\n')
      .slice(0, -1);
    expect(sent.at(-1)).toBe('data: [DONE]');
    const chunks = sent.slice(0, -1).map((event) => answer.parse(JSON.parse(event.slice('data: '.length))));
    const choices = chunks.flatMap((chunk) => chunk.choices);
    const recorded = messageOf(events);
    expect(toldIn(gathered(choices.flatMap(({ delta }) => delta ?? [])))).toEqual(saidIn(recorded.content));
    expect(choices.filter(({ finish_reason }) => finish_reason !== null)).toHaveLength(1);
    expect(choices.at(-1)?.finish_reason === 'tool_calls').toBe(recorded.stop_reason === 'tool_use');
    expectUsage(chunks.at(-1)?.usage, recorded.usage);
    expect(meter.usage(true)).toMatchObject({
      source: 'provider',
      outputTokens: recorded.usage.output_tokens,
    });
  });
});
