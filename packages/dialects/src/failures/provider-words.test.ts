import { expect, it } from 'vitest';
import { cutText, firstWords, removePrivate } from './provider-words.ts';

it.each([
  ['Cannot POST https://llm.corp.example/v1/chat?key=1.', 'Cannot POST [removed].'],
  ['connect ECONNREFUSED 10.0.0.5:8080', 'connect ECONNREFUSED [removed]'],
  ['connect to [2001:db8::17]:443 failed', 'connect to [removed] failed'],
  ['no upstream vllm-0.pool.svc:8000, nor vllm:8000', 'no upstream [removed], nor [removed]'],
  ['Project `proj_abc123` of org-9XyZ has no access', 'Project `[removed]` of [removed] has no access'],
  ['Publisher Model projects/acme-prod/locations/us-1/m', 'Publisher Model [removed]/locations/us-1/m'],
  ['arn:aws:bedrock:us-east-1:123456789012:model/x is gone', '[removed] is gone'],
  ['bot@acme.iam.gserviceaccount.com lacks a role', '[removed] lacks a role'],
  ['File "/app/server.py", line 12', 'File "[removed]", line 12'],
])('hosts, addresses, accounts and paths of a provider are removed: %s', (words, left) => {
  expect(removePrivate(words)).toBe(left);
});

it.each([
  'The model `gpt-4.1-mini` does not exist or you do not have access to it.',
  'models/gemini-9 is not found for API version v1beta, or is not supported for generateContent.',
  "messages.0.content: expected 'text' at line 3: 12, code:404",
  'anthropic.claude-3-haiku-20240307-v1:0 with accounts',
])('words of a provider about the request stay: %s', (words) => {
  expect(removePrivate(words)).toBe(words);
});

it('a text is cut to one line, between characters, without those that move a cursor', () => {
  expect(firstWords(' a\r\n\tb\u001b[2Jc\u2028d\u202ee\0 ', 100)).toBe('a b [2Jc d e');
  expect(firstWords('ab\ud83d', 100)).toBe('ab\ufffd');
  expect(cutText('ab😀', 3)).toBe('ab');
  expect(cutText('ab😀', 4)).toBe('ab😀');
});
