import type { PlaygroundApi } from '../../../../wire/playground.ts';

/** The APIs that a chat can use, as their documentation names them. */
export const API_NAMES: { value: PlaygroundApi; label: string }[] = [
  { value: 'chat_completions', label: 'Chat Completions' },
  { value: 'messages', label: 'Messages' },
  { value: 'responses', label: 'Responses' },
];

export function playgroundApiOf(value: string): PlaygroundApi {
  return API_NAMES.find((each) => each.value === value)?.value ?? 'chat_completions';
}
