import { expect, it } from 'vitest';
import { parseSku } from './sku.ts';

it.each([
  ['Gemini 2.5 Flash GA Text Input - Predictions', 'gemini-2.5-flash', 'inputTokens', null],
  ['Gemini 2.5 Flash GA Thinking Text Output - Predictions', 'gemini-2.5-flash', 'outputTokens', null],
  ['Gemini 3 Flash Text Input Caching', 'gemini-3-flash', 'cachedInputTokens', null],
  ['Gemini 2.5 Flash GA Input Text Caching', 'gemini-2.5-flash', 'cachedInputTokens', null],
  ['Gemini 3 Flash Text Input Caching Storage', 'gemini-3-flash', null, null],
  [
    'Gemini 3.7 Flash Global Text Input Priority - Predictions',
    'gemini-3.7-flash',
    'inputTokens',
    'priority',
  ],
  ['Gemini 3.1 Flash Audio Input Batch - Predictions', 'gemini-3.1-flash', 'audioInputTokens', 'batch'],
  [
    'Generate content input token count gemini 3.1 flash lite preview text',
    'gemini-3.1-flash-lite-preview',
    'inputTokens',
    null,
  ],
  [
    'Generate content cached input token count gemini 3.6 flash text',
    'gemini-3.6-flash',
    'cachedInputTokens',
    null,
  ],
  [
    'Generate content output token count gemini 2.5 flash short input text',
    'gemini-2.5-flash',
    'outputTokens',
    null,
  ],
  ['Generate_content image input token count for gemini 3 flash', 'gemini-3-flash', 'imageInputTokens', null],
  ['Generate content output token count gemini 3 flash text flex', 'gemini-3-flash', 'outputTokens', 'flex'],
  ['Claude Sonnet 4.5 Cache Write 1h Tokens', 'claude-sonnet-4.5', 'cacheWrite1hTokens', null],
  ['LLM Grounding with Google Search tool - Predictions', null, 'webSearchRequests', null],
  ['Vertex AI Workbench Management Fee', null, null, null],
])('%s is understood', (description, model, unit, serviceTier) => {
  expect(parseSku(description)).toEqual({ model, unit, serviceTier });
});
