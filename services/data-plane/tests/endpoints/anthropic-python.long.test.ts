import { withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { bothApis, CHAT, CLAUDE } from './both-apis.ts';
import { testFailures, withPythonClient } from './python-client.ts';

const runProgram = withPythonClient('anthropic', './anthropic_client.py');
const gateway = withGateway({ catalog: true, document: bothApis });

/** Runs one part of the program. @returns what it has found */
const client = (part: string, model: string) =>
  runProgram(part, model, { ANTHROPIC_BASE_URL: gateway.baseUrl, ANTHROPIC_API_KEY: gateway.rawKey });

describe.each([
  ['a provider of the same API', CLAUDE],
  ['a provider of Chat Completions', CHAT],
])("Anthropic's client for Python, and a model of %s", (_name, model) => {
  it('the client gets a message, plain and streamed', async () => {
    expect(await client('plain', model)).toMatchObject({
      model,
      stop_reason: 'end_turn',
      text: expect.stringMatching(/\w{3}/),
      is_same_streamed: true,
      input_tokens: expect.toSatisfy((tokens) => tokens > 0),
      request_id: expect.stringMatching(/^req_/),
    });
  });

  it('the client calls tools and sends their results back', async () => {
    expect(await client('tools', model)).toMatchObject({
      stop_reason: 'tool_use',
      inputs: [{ city: 'Oslo' }, { city: 'Rome' }],
      next_stop_reason: 'end_turn',
    });
  });

  it('the client gets thoughts where the model thinks', async () => {
    const { types, next } = Object(await client('thinking', model));
    if (model === CLAUDE) expect(types).toEqual(['thinking', 'text']);
    expect(types).toContain('text');
    expect(next).toBe('end_turn');
  });

  it('the client counts tokens', async () => {
    expect(await client('count', model)).toEqual({ input_tokens: expect.toSatisfy((tokens) => tokens > 0) });
  });

  testFailures(gateway, client, model);
});

it("Anthropic's client for Python lists all models, page by page", async () => {
  const { ids, pages } = Object(await client('models', CLAUDE));
  expect(ids).toEqual(expect.arrayContaining([CLAUDE, CHAT]));
  expect(new Set(ids).size).toBe(ids.length);
  expect(pages).toBeGreaterThan(1);
});
