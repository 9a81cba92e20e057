import { expect, it } from 'vitest';
import { baseUrlMistake } from './base-url-mistakes.ts';

it.each([
  ['/chat/completions', { kind: 'no_v1', meant: '/v1/chat/completions' }],
  ['//chat/completions', { kind: 'no_v1', meant: '/v1/chat/completions' }],
  ['/models/acme/small', { kind: 'no_v1', meant: '/v1/models/acme/small' }],
  ['/v1/v1/chat/completions', { kind: 'v1_twice', meant: '/v1/chat/completions' }],
  ['/v1/v1/messages', { kind: 'client_adds_v1', meant: '/v1/messages' }],
  ['/v1/v1/v1/messages/count_tokens', { kind: 'client_adds_v1', meant: '/v1/messages/count_tokens' }],
  ['/v1/messages/v1/messages', { kind: 'client_adds_v1', meant: '/v1/messages' }],
  ['/v1/messages/v1/messages/count_tokens', { kind: 'client_adds_v1', meant: '/v1/messages/count_tokens' }],
  ['/v1//v1/models', { kind: 'v1_twice', meant: '/v1/models' }],
  ['/v1/chat/completions/chat/completions', { kind: 'whole_endpoint', meant: '/v1/chat/completions' }],
  ['/v1/messages/models', { kind: 'whole_endpoint', meant: '/v1/models' }],
])('%s comes from a wrong base URL', (path, mistake) => {
  expect(baseUrlMistake(path)).toEqual(mistake);
});

it.each(['/', '/v1', '/v1/', '/v1/chat', '/favicon.ico', '/v1/chat/completions/x', '/chat', '/v2/models'])(
  '%s does not',
  (path) => expect(baseUrlMistake(path)).toBeUndefined(),
);
