import { withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { allApis, EVERY_KIND, RESPONSES } from './all-apis.ts';
import { CLAUDE } from './both-apis.ts';
import { testFailures, withPythonClient } from './python-client.ts';

const runProgram = withPythonClient('openai', './openai_client.py');
const gateway = withGateway({ document: allApis });

/** Runs one part of the program. @returns what it has found */
const client = (part: string, model: string) =>
  runProgram(part, model, { OPENAI_BASE_URL: `${gateway.baseUrl}/v1`, OPENAI_API_KEY: gateway.rawKey });

describe.each(EVERY_KIND)("OpenAI's client for Python, its responses, and a model of %s", (_name, model) => {
  it('the client gets a response, plain and streamed', async () => {
    expect(await client('plain', model)).toMatchObject({
      model,
      status: 'completed',
      text: expect.stringMatching(/\w{3}/),
      is_same_streamed: true,
      input_tokens: expect.toSatisfy((tokens) => tokens > 0),
      request_id: expect.stringMatching(/^req_/),
    });
  });

  it('the client parses a response into its own class', async () => {
    expect(await client('parsed', model)).toEqual({
      fields: ['colour', 'is_bright'],
      is_same_streamed: true,
    });
  });

  it('the client calls tools and sends their results back', async () => {
    expect(await client('tools', model)).toEqual({
      inputs: [{ city: 'Oslo' }, { city: 'Rome' }],
      next_status: 'completed',
    });
  });

  it('the client calls a custom tool with text unchanged', async () => {
    expect(await client('custom', model)).toEqual({ is_as_written: true, next_status: 'completed' });
  });

  it('the client continues from reasoning where the model reasons', async () => {
    const { types, next_status } = Object(await client('reasoning', model));
    if (model === CLAUDE) expect(types).toEqual(['reasoning', 'message']);
    expect(types).toContain('message');
    expect(next_status).toBe('completed');
  });

  testFailures(gateway, client, model);
});

it("OpenAI's client for Python continues from a response that its provider stores, and deletes it", async () => {
  expect(await client('kept', RESPONSES)).toEqual({
    goes_on: true,
    is_found: true,
    after_deletion: 'NotFoundError',
  });
});
