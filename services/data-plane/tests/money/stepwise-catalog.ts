import type { PlainCatalogInput } from '@model-gateway/shared';
import { modelEntry, providerEntry, simulatedCatalog } from '@model-gateway/test-kit';

/** Nano-USD per token. */
export const PRICES = { input: 1_000n, output: 2_000n };

/** Models of Chat Completions (one can speak), Messages and Responses, beside the simulated ones. */
export function stepwiseCatalog(baseUrl: string): PlainCatalogInput {
  const document = simulatedCatalog(baseUrl);
  const pricing = {
    input_per_million_usd: '1',
    output_per_million_usd: '2',
    cache_write_per_million_usd: '1.25',
    cache_write_1h_per_million_usd: '2',
  };
  const paid = { tier: 'paid', context_length: 1_000_000, max_output_tokens: 64_000, pricing } as const;
  return {
    providers: [
      ...document.providers,
      providerEntry('step-chat', baseUrl),
      providerEntry('step-claude', baseUrl, { kind: 'anthropic' }),
      providerEntry('step-responses', baseUrl, { apis: ['chat', 'responses'] }),
    ],
    models: [
      ...document.models,
      modelEntry('step/chat', { 'step-chat': 'sim-chat-pro' }, paid),
      modelEntry(
        'step/voice',
        { 'step-chat': 'sim-chat-pro' },
        { ...paid, pricing: { ...pricing, audio_output_per_million_usd: '2' } },
      ),
      modelEntry('step/claude', { 'step-claude': 'sim-claude-pro' }, paid),
      {
        ...modelEntry('step/responses', {}, paid),
        upstreams: [{ provider: 'step-responses', model: 'sim-gpt-pro', prefer: 'responses' }],
      },
    ],
  };
}

export const MODELS = ['step/chat', 'step/claude', 'step/responses'] as const;

const messages = [{ role: 'user', content: 'Tell me a long story.' }];

/** A streamed request of each API, and the text in its events. */
export const STREAMS = {
  'chat/completions': {
    body: { stream: true, messages, max_tokens: 50_000 },
    text: /"delta":\{[^}]*"content":"((?:[^"\\]|\\.)*)"/g,
  },
  messages: {
    body: { stream: true, messages, max_tokens: 50_000 },
    text: /"type":"text_delta","text":"((?:[^"\\]|\\.)*)"/g,
  },
  responses: {
    body: { stream: true, store: false, input: messages, max_output_tokens: 50_000 },
    text: /"type":"response\.output_text\.delta"[^\n]*?"delta":"((?:[^"\\]|\\.)*)"/g,
  },
} as const;

export type StreamPath = keyof typeof STREAMS;
export const PATHS: readonly StreamPath[] = ['chat/completions', 'messages', 'responses'];

/** Returns the text that a stream has delivered. */
export function deliveredText(path: StreamPath, events: string): string {
  return [...events.matchAll(STREAMS[path].text)].map(([, text = '']) => text).join('');
}

/** Reads a stream that may be cut. */
export async function readCut(response: Response): Promise<string> {
  let events = '';
  try {
    for await (const chunk of response.body ?? []) events += Buffer.from(chunk).toString();
  } catch {
    // The gateway breaks incomplete streams off.
  }
  return events;
}
