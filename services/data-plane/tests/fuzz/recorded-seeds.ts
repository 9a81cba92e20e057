import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from './mutate.ts';

const RECORDED = join(import.meta.dirname, '../../../../packages/simulated-provider/recorded');
const EVENTS_SUFFIX = '.chunks.txt';
/** More events of one shape in a row are redundant. */
const MAX_ALIKE = 2;

/** Recorded responses of a folder: whole ones, and streams as arrays of events. */
export interface Recorded {
  whole: Json[];
  streams: Json[][];
}

export function recordedIn(folder: string): Recorded {
  const files = globSync(join(RECORDED, folder, '*')).sort();
  const texts = (suffix: string) =>
    files.filter((file) => file.endsWith(suffix)).map((file) => readFileSync(file, 'utf8'));
  return {
    whole: texts('.json').map((text): Json => JSON.parse(text)),
    streams: texts(EVENTS_SUFFIX).map((text) =>
      shortened(
        text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ),
    ),
  };
}

function shortened(events: readonly Json[]): Json[] {
  const kept: Json[] = [];
  for (const event of events) {
    const shape = shapeOf(event);
    const last = kept.slice(-MAX_ALIKE);
    if (last.length < MAX_ALIKE || !last.every((one) => shapeOf(one) === shape)) kept.push(event);
  }
  return kept;
}

function shapeOf(value: Json): string {
  return JSON.stringify(value, (name, inner) =>
    typeof inner === 'object' || name === 'type' ? inner : typeof inner,
  );
}

const chunk = (delta: Json, more: { [name: string]: Json } = {}): Json => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'gpt-5',
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
  usage: null,
});
const USAGE: Json = {
  prompt_tokens: 10,
  completion_tokens: 5,
  total_tokens: 15,
  prompt_tokens_details: { cached_tokens: 2, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 1 },
};
const counted: Json = {
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  model: 'gpt-5',
  choices: [],
  usage: USAGE,
};
const call = (index: number, given: Json): Json => chunk({ tool_calls: [{ index, ...Object(given) }] });
const whole = (message: Json, finish_reason: string): Json => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-5',
  choices: [{ index: 0, message, finish_reason, logprobs: null }],
  usage: USAGE,
});

/** Written by hand, because there is no recording of this API. */
export const CHAT_COMPLETIONS: Recorded = {
  whole: [
    whole({ role: 'assistant', content: 'Hello', refusal: null, annotations: [] }, 'stop'),
    whole({ role: 'assistant', content: null, reasoning_content: 'hm', reasoning: 'hm' }, 'length'),
    whole(
      {
        role: 'assistant',
        content: 'a',
        reasoning_details: [
          { type: 'reasoning.text', text: 'b', signature: 'c', format: 'anthropic-claude-v1' },
        ],
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'double', arguments: '{"a":1}' } },
          { id: 'c2', type: 'function', function: { name: 'double', arguments: '' } },
        ],
        images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
      },
      'tool_calls',
    ),
  ],
  streams: [
    [
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'Hel' }),
      chunk({ content: 'lo' }),
      chunk({}, { finish_reason: 'stop' }),
      counted,
      '[DONE]',
    ],
    [
      chunk({ role: 'assistant', reasoning_content: 'hm' }),
      chunk({
        reasoning_details: [
          { type: 'reasoning.text', text: 'b', signature: 'c', format: 'anthropic-claude-v1' },
        ],
      }),
      call(0, { id: 'c1', type: 'function', function: { name: 'double', arguments: '' } }),
      call(0, { function: { arguments: '{"a"' } }),
      call(0, { function: { arguments: ':1}' } }),
      call(1, { id: 'c2', type: 'function', function: { name: 'double', arguments: '{}' } }),
      chunk({}, { finish_reason: 'tool_calls' }),
      counted,
      '[DONE]',
    ],
    [
      chunk({ refusal: 'no' }),
      chunk({
        annotations: [
          {
            type: 'url_citation',
            url_citation: { url: 'https://a.example', title: 'a', start_index: 0, end_index: 1 },
          },
        ],
      }),
      chunk({}, { finish_reason: 'content_filter' }),
      '[DONE]',
    ],
  ],
};
