import { NO_UNITS } from '@model-gateway/shared';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ChatMeter } from './chat-meter.ts';

const REQUEST = [Buffer.from(JSON.stringify({ messages: [{ role: 'user', content: 'x'.repeat(36) }] }))];
const MOST = { ...NO_UNITS, inputTokens: 1_000, outputTokens: 100 };
const REPORTED = { prompt_tokens: 12, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 4 } };

function meterOf(delivered: Record<string, unknown>[], reported?: unknown): ChatMeter {
  const meter = new ChatMeter(REQUEST, { max: MOST, mediaParts: 0, mediaPartTokens: 1_600 });
  meter.deliver(delivered.map((delta) => ({ delta })));
  meter.report(reported);
  return meter;
}

describe('what a chat consumed', () => {
  it('a chat is billed by what the provider counts', () => {
    expect(meterOf([{ content: 'hello' }], REPORTED).usage(true)).toMatchObject({
      inputTokens: 12,
      cachedInputTokens: 4,
      outputTokens: 5,
      source: 'provider',
    });
  });

  it.each([
    { prompt_tokens: 12, completion_tokens: 5, total_tokens: 900_000 },
    { prompt_tokens: 12, completion_tokens: 900_000 },
    { prompt_tokens: 900_000, completion_tokens: 5 },
  ])('a count for which no context has room is not billed: %j', (usage) => {
    const believable = { inputTokens: 16_000, outputTokens: 16_000 };
    const meter = new ChatMeter(REQUEST, {
      max: MOST,
      credible: believable,
      mediaParts: 0,
      mediaPartTokens: 1_600,
    });
    meter.deliver([{ delta: { content: 'hello' } }]);
    meter.report(usage);
    const estimate = { inputTokens: 10, outputTokens: 2, source: 'estimated' };
    expect(meter.usage(true)).toMatchObject(estimate);
    expect(meter.replaceAbsurd(usage)).toMatchObject({ prompt_tokens: 10, completion_tokens: 2 });
    const { completion_tokens, prompt_tokens, total_tokens = 0 } = usage;
    const outputTokens = Math.max(completion_tokens, total_tokens - prompt_tokens);
    meter.count({ units: { inputTokens: prompt_tokens, outputTokens } });
    expect(meter.usage(true)).toMatchObject(estimate);
    meter.count({ units: { inputTokens: 12, outputTokens: 5 } });
    expect(meter.usage(true)).toMatchObject({ inputTokens: 12, outputTokens: 5, source: 'provider' });
  });

  it('a chat is estimated where a provider counts nothing at all: a prompt of no tokens is implausible', () => {
    const zeros = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
    const meter = meterOf([{ content: 'hello' }], zeros);
    expect(meter.usage(true)).toMatchObject({ inputTokens: 10, outputTokens: 2, source: 'estimated' });
  });

  it('searches that nobody counts are billed only where the provider runs them', () => {
    const max = { ...MOST, webSearchRequests: 5 };
    const meter = new ChatMeter(REQUEST, { max, mediaParts: 0, mediaPartTokens: 1_600 });
    for (const [runsTools, webSearchRequests] of [
      [false, 0],
      [true, 5],
    ] as const) {
      meter.restart(runsTools);
      meter.deliverText('hello');
      expect(meter.usage(true)).toMatchObject({ webSearchRequests, source: 'estimated' });
      meter.report(REPORTED);
      expect(meter.usage(true)).toMatchObject({ webSearchRequests, source: 'provider' });
    }
  });

  it("calls of the provider's tools are billed only where the model has a price for them", () => {
    const units = { inputTokens: 3, outputTokens: 2, toolCalls: 4 };
    for (const [chargesToolCalls, toolCalls] of [
      [true, 4],
      [false, 0],
    ] as const) {
      const meter = new ChatMeter(REQUEST, {
        max: MOST,
        mediaParts: 0,
        mediaPartTokens: 1_600,
        chargesToolCalls,
      });
      meter.deliverText('hello');
      meter.count({ units });
      expect(meter.usage(true)).toMatchObject({ inputTokens: 3, outputTokens: 2, toolCalls });
    }
  });

  it('a stream that broke off before the model had written a word costs nothing', () => {
    expect(meterOf([{ role: 'assistant', content: '' }]).usage(false)).toBeUndefined();
    const call = { index: 0, id: 'call_1', type: 'function', function: { name: '', arguments: '' } };
    expect(meterOf([{ tool_calls: [call] }]).usage(false)).toBeUndefined();
    const thinking = { type: 'reasoning.text', text: '', format: 'anthropic-claude-v1', index: 0 };
    expect(meterOf([{ reasoning_details: [thinking] }]).usage(false)).toBeUndefined();
  });

  it('a caller who leaves before the first word pays what the provider had counted', () => {
    const meter = meterOf([]);
    meter.count({ units: { inputTokens: 30, cacheWriteTokens: 20, outputTokens: 1 } });
    expect(meter.usage(false)).toBeUndefined();
    expect(meter.usageOfLeftStream(performance.now(), false)).toMatchObject({
      inputTokens: 30,
      cacheWriteTokens: 20,
      outputTokens: 1,
    });
  });

  describe('a stream that its caller leaves', () => {
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['performance'] });
    });
    afterEach(() => {
      vi.useRealTimers();
    });
    const max = { ...MOST, outputTokens: 10_000 };
    const bounds = { max, mediaParts: 0, mediaPartTokens: 0, chargesCacheWrites: true };
    const newMeter = (request: readonly Buffer[] = REQUEST) => new ChatMeter(request, bounds);
    const sentAtMs = () => performance.now() - 62_000;
    const text = { choices: [{ delta: { content: 'x'.repeat(40) } }] };

    it('costs the time of hidden thought until its answer began, where its model is known to think', () => {
      const meter = newMeter();
      const sent = sentAtMs();
      meter.deliver(text.choices);
      vi.advanceTimersByTime(600_000);
      expect(meter.usageOfLeftStream(sent, true)).toMatchObject({
        inputTokens: 10,
        outputTokens: 10 + 60 * 50,
        reasoningTokens: 60 * 50,
        source: 'estimated',
      });
      expect(meter.usageOfLeftStream(sent, false)).toMatchObject({ outputTokens: 10, reasoningTokens: 0 });
    });

    it.each<[string, (meter: ChatMeter) => void]>([
      ['a delta of Messages', (meter) => meter.deliverText({ thinking: '' })],
      ['a delta of Chat Completions', (meter) => meter.deliver([{ delta: { reasoning_content: 'hm' } }])],
      ['a summary of Responses', (meter) => meter.deliverText('hm', true)],
    ])('costs the time of thought that shows in %s, beyond what is shown', (_name, think) => {
      const meter = newMeter();
      const sent = sentAtMs();
      think(meter);
      expect(meter.usageOfLeftStream(sent, false).outputTokens).toBe(60 * 50);
      meter.deliver([{ delta: { reasoning_content: 'x'.repeat(36_000) } }]);
      expect(meter.usageOfLeftStream(sent, false).outputTokens).toBeGreaterThanOrEqual(9_000);
      meter.deliver([{ delta: { reasoning_content: 'x'.repeat(36_000) } }]);
      expect(meter.usageOfLeftStream(sent, false).outputTokens).toBe(10_000);
    });

    it('costs no thought beside a count of the provider that is final', () => {
      const meter = newMeter();
      meter.count({ units: { inputTokens: 30, outputTokens: 7 }, outputSoFar: true });
      expect(meter.usageOfLeftStream(sentAtMs(), true).outputTokens).toBe(60 * 50);
      meter.count({ units: { inputTokens: 30, outputTokens: 7 } });
      expect(meter.usageOfLeftStream(sentAtMs(), true)).toMatchObject({
        outputTokens: 7,
        source: 'provider',
      });
    });

    it('costs a cache write where the request marks its prompt, and nobody counts', () => {
      const block = { type: 'text', text: 'x'.repeat(36), cache_control: { type: 'ephemeral' } };
      const marked = [Buffer.from(JSON.stringify({ messages: [{ role: 'user', content: [block] }] }))];
      const quoted = [
        Buffer.from(JSON.stringify({ messages: [{ role: 'user', content: '"cache_control"' }] })),
      ];
      const written = (request: Buffer[]) => newMeter(request).usageOfLeftStream(performance.now(), false);
      expect(written(marked).cacheWriteTokens).toBe(written(marked).inputTokens);
      expect(written(marked).inputTokens).toBeGreaterThan(9);
      expect(written(quoted).cacheWriteTokens).toBe(0);
      const respelt = (by: string) => [
        Buffer.from(String(marked[0]).replace('cache_control', `cache${by}c\\u006Fntrol`)),
      ];
      expect(written(respelt('\\u005f')).cacheWriteTokens).toBeGreaterThan(9);
      expect(written(respelt('\\\\u005f')).cacheWriteTokens).toBe(0);
    });
  });

  it('an answer that was cut off is billed for what was delivered, though its provider counted as it went', () => {
    const counted = { ...REPORTED, completion_tokens: 0 };
    const cut = meterOf([{ content: 'x'.repeat(40) }], counted).usage(false);
    expect(cut).toMatchObject({ inputTokens: 10, outputTokens: 10, source: 'estimated' });
  });

  it('reasoning that a provider counts in the total alone is billed', () => {
    const counted = { ...REPORTED, total_tokens: 12 + 5 + 300 };
    expect(meterOf([{ content: 'hello' }], counted).usage(true)).toMatchObject({ outputTokens: 305 });
    // A total that is less than its parts says nothing.
    const less = { ...REPORTED, total_tokens: 3 };
    expect(meterOf([{ content: 'hello' }], less).usage(true)).toMatchObject({ outputTokens: 5 });
  });

  it('a chat is estimated at no more than its reservation', () => {
    const cut = meterOf([{ content: 'x'.repeat(4_000) }]).usage(false);
    expect(cut).toMatchObject({ outputTokens: 100 });
  });

  it('a picture of the answer is not counted as text', () => {
    const url = `data:image/png;base64,${'A'.repeat(4_000)}`;
    const images = [{ type: 'image_url', image_url: { url } }];
    const meter = new ChatMeter(REQUEST, {
      max: { ...MOST, outputTokens: 10_000 },
      mediaParts: 0,
      mediaPartTokens: 1_600,
    });
    meter.deliver([{ delta: { content: 'here', images } }]);
    expect(meter.usage(false)).toMatchObject({ outputTokens: 1_601 });
  });

  it('cached input never exceeds the input', () => {
    const absurd = { ...REPORTED, prompt_tokens_details: { cached_tokens: 99 } };
    expect(meterOf([{ content: 'hello' }], absurd).usage(true)).toMatchObject({ cachedInputTokens: 12 });
  });
});

it('a response of another provider is not counted together with the previous one', () => {
  const meter = meterOf([{ content: 'x'.repeat(40) }], REPORTED);
  meter.count({ units: { inputTokens: 3_333, outputTokens: 1 } });
  meter.restart();
  expect(meter.usage(false)).toBeUndefined();
  meter.deliver([{ delta: { content: 'x'.repeat(16) } }]);
  expect(meter.usage(true)).toMatchObject({ outputTokens: 4, source: 'estimated' });
});
