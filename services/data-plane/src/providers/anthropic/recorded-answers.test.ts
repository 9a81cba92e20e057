import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NO_UNITS } from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import { ChatMeter } from '../../chat/chat-meter.ts';
import { CompletionsCaller } from '../../dialects/chat-completions/completions-caller.ts';
import { translatedMessage } from './completion.ts';
import { CompletionEvents } from './completion-events.ts';
import { countedUsage, messagesUsage } from './usage.ts';

/**
 * Answers that were recorded at the provider: `anthropic/*.json`, and `anthropic/*.chunks.txt` with the data of
 * one event a line.
 */
const folder = join(process.env.RECORDED_ANSWERS ?? '', 'anthropic');
const isThere = process.env.RECORDED_ANSWERS !== undefined && existsSync(folder);
const files = isThere ? readdirSync(folder).sort() : [];
const MODEL = 'anthropic/claude';

// biome-ignore lint/suspicious/noExplicitAny: recorded JSON, looked at in a test alone
type Recorded = any;

function caller() {
  const most = { ...NO_UNITS, inputTokens: 1_000_000, outputTokens: 1_000_000 };
  const meter = new ChatMeter([Buffer.from('{}')], { most, mediaParts: 0, mediaPartTokens: 0 });
  return { meter, caller: new CompletionsCaller(meter, MODEL, true) };
}

/** What a message says, read from its blocks. */
function saidIn(content: Recorded[]) {
  const ofType = (type: string) => content.filter((block) => block.type === type);
  return {
    text: ofType('text')
      .map(({ text }) => text)
      .join(''),
    reasoning: ofType('thinking')
      .map(({ thinking }) => thinking)
      .join(''),
    thoughts: content
      .filter(({ type }) => type === 'thinking' || type === 'redacted_thinking')
      .map(({ data, signature }) => data ?? signature),
    calls: ofType('tool_use').map(({ id, input, name }) => ({ id, name, input })),
  };
}

/** The same, read from a completion. */
function toldIn(message: Recorded) {
  return {
    text: message.content ?? '',
    reasoning: message.reasoning_content ?? '',
    thoughts: (message.reasoning_details ?? []).map(({ data, signature }: Recorded) => data ?? signature),
    calls: (message.tool_calls ?? []).map(({ function: called, id }: Recorded) => ({
      id,
      name: called.name,
      input: JSON.parse(called.arguments),
    })),
  };
}

/** The message that events tell, put together without the translator. */
function messageOf(events: Recorded[]) {
  const content: Recorded[] = [];
  let usage: Recorded = {};
  let stopReason: unknown;
  for (const event of events) {
    const block = content[event.index];
    if (event.type === 'message_start') usage = { ...event.message.usage };
    if (event.type === 'content_block_start') content[event.index] = { ...event.content_block, json: '' };
    if (event.type === 'message_delta') {
      usage = { ...usage, ...event.usage };
      stopReason = event.delta.stop_reason;
    }
    if (event.type !== 'content_block_delta') continue;
    const { partial_json = '', signature = '', text = '', thinking = '' } = event.delta;
    if (text !== '') block.text += text;
    if (thinking !== '') block.thinking += thinking;
    if (signature !== '') block.signature = (block.signature ?? '') + signature;
    block.json += partial_json;
  }
  for (const block of content) if (block.json !== '') block.input = JSON.parse(block.json);
  return { content, usage, stopReason };
}

/** A client that gathers chunks. */
function gathered(deltas: Recorded[]) {
  const message: Recorded = { content: '', reasoning_content: '', reasoning_details: [], tool_calls: [] };
  for (const { content = '', reasoning_content = '', reasoning_details = [], tool_calls = [] } of deltas) {
    message.content += content;
    message.reasoning_content += reasoning_content;
    for (const { index, ...detail } of reasoning_details) {
      message.reasoning_details[index] = { ...message.reasoning_details[index], ...detail };
    }
    for (const { function: called, index, ...call } of tool_calls) {
      const known = message.tool_calls[index] ?? { function: { arguments: '' } };
      const written = known.function.arguments + called.arguments;
      message.tool_calls[index] = {
        ...known,
        ...call,
        function: { ...known.function, ...called, arguments: written },
      };
    }
  }
  return message;
}

/** In the units that are billed, by hand. */
function unitsOf(usage: Recorded) {
  const read = usage.cache_read_input_tokens ?? 0;
  const written = usage.cache_creation_input_tokens ?? 0;
  const hour = usage.cache_creation?.ephemeral_1h_input_tokens ?? 0;
  return {
    inputTokens: (usage.input_tokens ?? 0) + read + written,
    cachedInputTokens: read,
    cacheWriteTokens: written - hour,
    cacheWrite1hTokens: hour,
    outputTokens: usage.output_tokens ?? 0,
  };
}

function expectUsage(shown: Recorded, recorded: Recorded) {
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
  const counted = countedUsage(messagesUsage.parse(recorded));
  const searches = recorded.server_tool_use?.web_search_requests ?? 0;
  expect(counted.units).toEqual({ ...units, ...(searches === 0 ? {} : { webSearchRequests: searches }) });
  const turns = (recorded.iterations ?? []).map((one: Recorded) => ({
    model: one.model,
    units: unitsOf(one),
  }));
  expect(counted.turns ?? []).toEqual(turns);
}

if (!isThere)
  console.info('RECORDED_ANSWERS names no folder: recorded answers of Anthropic are not replayed.');

describe.skipIf(!isThere)('recorded answers, told in the shape of Chat Completions', () => {
  const whole = files.filter((file) => file.endsWith('.json'));
  it.each(whole)('%s: nothing of it is lost', (file) => {
    const recorded: Recorded = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    const { body, usage }: Recorded = translatedMessage(caller().caller, MODEL).whole(recorded, '');
    const [{ finish_reason, message }] = body.choices;
    expect(toldIn(message)).toEqual(saidIn(recorded.content));
    expect(finish_reason === 'tool_calls').toBe(recorded.stop_reason === 'tool_use');
    expectUsage(body.usage, recorded.usage);
    expect(usage).toMatchObject({ source: 'provider', outputTokens: recorded.usage.output_tokens });
  });

  const streamed = files.filter((file) => file.endsWith('.chunks.txt'));
  it.each(streamed)('%s: one whole message, or an error', (file) => {
    const lines = readFileSync(join(folder, file), 'utf8').split('\n');
    const data = lines.filter((line) => line.trim() !== '');
    const events: Recorded[] = data.map((line) => JSON.parse(line));
    const types = events.map(({ type }) => type);
    const { caller: to, meter } = caller();
    const translator = new CompletionEvents(to, MODEL);
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
    const chunks: Recorded[] = sent.slice(0, -1).map((event) => JSON.parse(event.slice('data: '.length)));
    const choices = chunks.flatMap((chunk) => chunk.choices);
    const recorded = messageOf(events);
    expect(toldIn(gathered(choices.map(({ delta }) => delta)))).toEqual(saidIn(recorded.content));
    expect(choices.filter(({ finish_reason }) => finish_reason !== null)).toHaveLength(1);
    expect(choices.at(-1).finish_reason === 'tool_calls').toBe(recorded.stopReason === 'tool_use');
    expectUsage(chunks.at(-1).usage, recorded.usage);
    expect(meter.usage(true)).toMatchObject({
      source: 'provider',
      outputTokens: recorded.usage.output_tokens,
    });
  });
});
