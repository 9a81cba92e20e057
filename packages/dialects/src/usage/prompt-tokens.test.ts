import { describe, expect, it } from 'vitest';
import { countInputBytes } from './input-bytes.ts';
import { estimatedPromptTokens, promptBytes } from './prompt-tokens.ts';

const WORDS = 'The quick brown fox jumps over the lazy dog. ';
/** As long as a picture, without the look of text. */
const PICTURE = Buffer.alloc(300_000, 7).toString('base64');

const bytesOf = (request: object) => promptBytes({ model: 'acme/small', ...request });
/** Returns the bytes that a request adds. */
const more = (request: object) => bytesOf(request) - bytesOf({});

describe('the estimated input of a Responses request', () => {
  it('counts text, instructions, tools and the schema of the output', () => {
    const tools = [{ type: 'function', name: 'find', description: WORDS, parameters: { type: 'object' } }];
    const text = { format: { type: 'json_schema', name: 'a', schema: { description: WORDS } } };
    expect(more({ input: WORDS })).toBe(WORDS.length);
    expect(more({ instructions: WORDS })).toBeGreaterThanOrEqual(WORDS.length);
    expect(more({ tools })).toBe(JSON.stringify(tools).length);
    expect(more({ text })).toBe(JSON.stringify(text).length);
  });

  it.each<[string, object]>([
    ['a message of text', { role: 'user', content: WORDS }],
    ['a message of parts', { type: 'message', role: 'user', content: [{ type: 'input_text', text: WORDS }] }],
    ['an answer', { role: 'assistant', content: [{ type: 'output_text', text: WORDS, annotations: [] }] }],
    ['a call', { type: 'function_call', call_id: 'a', name: 'find', arguments: WORDS }],
    ['a call with text', { type: 'custom_tool_call', call_id: 'a', name: 'find', input: WORDS }],
    ['a result', { type: 'function_call_output', call_id: 'a', output: WORDS }],
    [
      'a result of parts',
      { type: 'function_call_output', call_id: 'a', output: [{ type: 'input_text', text: WORDS }] },
    ],
    ['a summary', { type: 'reasoning', summary: [{ type: 'summary_text', text: WORDS }] }],
    ['an item that nobody knows', { type: 'novelty', note: [{ deep: WORDS }] }],
  ])('counts %s', (_name, item) => {
    const bytes = more({ input: [item] });
    expect(bytes).toBeGreaterThanOrEqual(WORDS.length);
    expect(bytes).toBeLessThan(WORDS.length + 100);
  });

  it.each<[string, object]>([
    ['a picture', { type: 'input_image', image_url: `data:image/png;base64,${PICTURE}`, detail: 'auto' }],
    [
      'a file',
      { type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${PICTURE}` },
    ],
    ['a bare file', { type: 'input_file', filename: 'a.pdf', file_data: PICTURE }],
    ['a recording', { type: 'input_audio', input_audio: { data: PICTURE, format: 'wav' } }],
  ])('never counts the bytes of %s, of a user or of a tool', (_name, part) => {
    const said = { role: 'user', content: [{ type: 'input_text', text: WORDS }, part] };
    const returned = { type: 'function_call_output', call_id: 'a', output: [part] };
    expect(more({ input: [said, returned] })).toBeLessThan(WORDS.length + 200);
  });

  it('never counts encrypted reasoning, screenshots or tags', () => {
    const input = [
      { type: 'reasoning', summary: [], encrypted_content: `kept-by-model-gateway.${PICTURE}` },
      {
        type: 'computer_call_output',
        call_id: 'a',
        output: { type: 'computer_screenshot', image_url: `data:,${PICTURE}` },
      },
      { type: 'image_generation_call', id: 'ig_1', result: PICTURE },
    ];
    const tags = { client_metadata: { turn: WORDS.repeat(1_000) }, prompt_cache_key: WORDS.repeat(1_000) };
    expect(more({ input, ...tags })).toBeLessThan(300);
  });

  it('counts a text that looks like base64', () => {
    expect(more({ input: PICTURE })).toBe(PICTURE.length);
    expect(more({ input: [{ role: 'user', content: PICTURE }] })).toBeGreaterThan(PICTURE.length);
  });

  it('is the same for large bodies', () => {
    const request = { model: 'acme/small', input: [{ role: 'user', content: WORDS.repeat(100) }] };
    const known = countInputBytes('responses', request);
    const body = [Buffer.from(JSON.stringify(request))];
    expect(known).toBe(promptBytes(request));
    expect(estimatedPromptTokens(body, 0, known)).toBe(estimatedPromptTokens(body, 0));
  });

  it.each([
    [null],
    [[null]],
    [7],
    [[1, 'a', true]],
    [[[[[]]]]],
    [[{ content: [null, 7] }]],
    [{ a: { b: 'c' } }],
  ])('counts any value: %j', (input) => {
    expect(bytesOf({ input })).toBeGreaterThanOrEqual(0);
    expect(countInputBytes('chat', { messages: [], input })).toBeGreaterThanOrEqual(0);
  });
});
