import type { SimulatedProvider } from '../src/index.ts';
import { API_KEY } from './test-provider.ts';

interface SendOptions {
  method?: string;
  path?: string;
  signal?: AbortSignal;
}

/** Sends requests as OpenAI's libraries do. Without a body the method is GET. */
export function responsesClient({ baseUrl }: SimulatedProvider) {
  return (body: object | undefined, { method, path = '', signal }: SendOptions = {}): Promise<Response> =>
    fetch(`${baseUrl}/responses${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${API_KEY}` },
      ...(body === undefined ? {} : { body: JSON.stringify({ model: 'sim-chat-free', ...body }) }),
      ...(signal === undefined ? {} : { signal }),
    });
}

export const QUESTION = { input: 'Why is the sky blue?' };

export const user = (content: unknown) => ({ type: 'message', role: 'user', content });

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
export const WEATHER_TOOL = { type: 'function', name: 'get_weather', parameters };
export const TIME_TOOL = {
  type: 'function',
  name: 'get_time',
  parameters: { type: 'object', properties: {} },
};
export const PATCH_TOOL = {
  type: 'custom',
  name: 'apply_patch',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: /(.|\\n)+/' },
};
export const COMMAND_TOOL = {
  type: 'function',
  name: 'exec_command',
  strict: false,
  parameters: { type: 'object', properties: { cmd: { type: 'string' } } },
};
export const AGENTS_TOOL = {
  type: 'namespace',
  name: 'agents',
  description: 'Other agents.',
  tools: [{ type: 'function', name: 'close_agent', parameters: { type: 'object', properties: {} } }],
};
