import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { snippets } from './snippets.ts';

const input = { baseUrl: 'https://gateway.example/v1', rawKey: 'sk-gw-abc', model: "acme/it's-small" };

test('each snippet contains the base URL, the key and the model', () => {
  for (const { code } of snippets({ ...input, model: 'acme/small' })) {
    expect(code).toContain('https://gateway.example/v1');
    expect(code).toContain('sk-gw-abc');
    expect(code).toContain('acme/small');
  }
});

test('a shell parses the curl snippet as the intended request, including quotes', () => {
  const [curl] = snippets(input);
  const words = execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${curl?.code}`], {
    encoding: 'utf8',
  });
  const [url, , authorization, , type, , body] = words.split('\0');
  expect(url).toBe('https://gateway.example/v1/chat/completions');
  expect(authorization).toBe('Authorization: Bearer sk-gw-abc');
  expect(type).toBe('Content-Type: application/json');
  expect(JSON.parse(body ?? '')).toEqual({
    model: "acme/it's-small",
    messages: [{ role: 'user', content: 'Hello!' }],
  });
});
