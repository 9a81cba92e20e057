import type { SimulatedProvider } from '../src/index.ts';
import { API_KEY } from './test-provider.ts';

/** Sends requests as the Anthropic SDKs do. Headers that are undefined are left out. */
export function messagesClient({ baseUrl }: SimulatedProvider) {
  return (
    body: object,
    { headers = {}, path = '/messages', signal }: SendOptions = {},
  ): Promise<Response> => {
    const all: Record<string, string | undefined> = {
      'content-type': 'application/json',
      'x-api-key': API_KEY,
      'anthropic-version': '2023-06-01',
      ...headers,
    };
    return fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: Object.entries(all).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, value]],
      ),
      body: JSON.stringify({ model: 'sim-claude-free', max_tokens: 256, ...body }),
      ...(signal === undefined ? {} : { signal }),
    });
  };
}

interface SendOptions {
  headers?: Record<string, string | undefined>;
  path?: string;
  signal?: AbortSignal;
}

export const QUESTION = { messages: [{ role: 'user', content: 'Why is the sky blue?' }] };

export const WEATHER_TOOL = {
  name: 'get_weather',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
export const TIME_TOOL = { name: 'get_time', input_schema: { type: 'object', properties: {} } };
export const BASH_TOOL = {
  name: 'Bash',
  input_schema: { type: 'object', properties: { command: { type: 'string' } } },
};
