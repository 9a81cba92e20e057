import type { ChatApi } from '../../interfaces/chat.ts';
import type { JsonObject } from '../../json/json-object.ts';
import { findTexts } from './find-texts.ts';
import type { TextPlace } from './text-place.ts';

/** Members of a request that hold the conversation. */
const CONVERSATION: Readonly<Record<ChatApi, readonly string[]>> = {
  'chat-completions': ['messages', 'prediction'],
  messages: ['system', 'messages'],
  responses: ['instructions', 'input', 'prompt'],
};
/** Members whose descriptions the model reads. */
const DESCRIBED = ['tools', 'functions', 'response_format', 'text', 'output_config'];

/** Finds the texts of a request: its conversation, and the descriptions of tools and formats. */
export function requestTexts(api: ChatApi, request: JsonObject): TextPlace[] {
  const places = CONVERSATION[api].flatMap((name) => {
    const value = request[name];
    if (typeof value !== 'string') return findTexts(value, { isRequest: true });
    const put = (text: string) => void Object.assign(request, { [name]: text });
    return value === ''
      ? []
      : [{ kind: 'text' as const, text: value, channel: undefined, call: undefined, put }];
  });
  for (const name of DESCRIBED) addDescriptions(request[name], places);
  return places;
}

function addDescriptions(value: unknown, places: TextPlace[]): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, entry] of Object.entries(value)) {
    if (name === 'description' && typeof entry === 'string' && entry !== '') {
      const put = (text: string) => void Object.assign(value, { description: text });
      places.push({ kind: 'text', text: entry, channel: undefined, call: undefined, put });
    } else addDescriptions(entry, places);
  }
}
