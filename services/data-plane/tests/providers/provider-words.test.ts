import {
  envelopeOf,
  modelEntry,
  providerEntry,
  simulatedAwsMessage,
  TEST_SECRETS,
  until,
  withGateway,
  withStarted,
} from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runWith } from '../../../../packages/cli/tests/gatewayctl-fixture.ts';
import { json, type Respond, startScriptedProvider } from './scripted-provider.ts';
import { withoutBreakers } from './without-breakers.ts';

const KINDS = {
  'openai-compatible': '/v1',
  anthropic: '/v1',
  gemini: '/v1beta',
  cohere: '',
  bedrock: '',
} as const;
type Kind = keyof typeof KINDS;

const provider = withStarted(() => startScriptedProvider());
const gateway = withGateway(() => {
  const origin = new URL(provider.baseUrl).origin;
  return {
    environment: { OUR_KEY: 'the-key-of-the-gateway-0123456789' },
    overrides: withoutBreakers(),
    document: () => ({
      providers: [
        ...Object.entries(KINDS).map(([kind, path]) =>
          providerEntry(kind, origin + path, {
            kind: kind as Kind,
            ...(kind === 'bedrock' ? { region: 'eu-central-1' } : {}),
            credential_env: 'OUR_KEY',
          }),
        ),
        providerEntry('closed', 'http://127.0.0.1:9/v1'),
        providerEntry('nowhere', 'http://host.invalid/v1'),
      ],
      models: [
        ...Object.keys(KINDS).map((kind) =>
          modelEntry(`own/${kind}`, { [kind]: kind === 'bedrock' ? 'amazon.nova-2-sim-v1:0' : 'm' }),
        ),
        modelEntry('own/closed', { closed: 'm' }),
        modelEntry('own/nowhere', { nowhere: 'm' }),
      ],
    }),
  };
});

const operators = z.object({
  attempts: z.array(z.object({ status: z.number().nullable(), error: z.string() })),
});

/** Sends a chat. @returns what the caller, its receipt, the operator's receipt and the log say */
async function failed(model: string, respond: Respond | undefined, stream = false) {
  if (respond !== undefined) provider.respond = respond;
  const messages = [{ role: 'user', content: 'hi' }];
  const answer = await gateway.ask('chat/completions', { model: `own/${model}`, stream, messages });
  const id = answer.headers.get('x-request-id') ?? '';
  const receipt = await gateway.receiptOf(answer);
  const shown = await gatewayctl('receipts', 'show', id, '--json');
  await until(() => gateway.logLines(`"request_id":"${id}"`).length > 0);
  const data = /data: (\{"error".*\})/.exec(answer.body)?.[1];
  return {
    answer,
    message: envelopeOf(data === undefined ? answer : { body: data }).message,
    error: receipt.attempts.at(-1)?.error,
    operator: operators.parse(JSON.parse(shown)).attempts.at(-1),
    text: await gatewayctl('receipts', 'show', id),
    logged: gateway.logLines(`"request_id":"${id}"`).at(0),
  };
}

async function gatewayctl(...args: string[]): Promise<string> {
  const environment = {
    CONTROL_PLANE_ADDRESS: gateway.controlPlanes.map(({ grpcPort }) => `127.0.0.1:${grpcPort}`).join(','),
    ADMIN_TOKEN: TEST_SECRETS.ADMIN_TOKEN,
  };
  const { code, err, out } = await runWith(environment, args);
  expect(code, err).toBe(0);
  return out;
}

const openAiError = (message: string) =>
  JSON.stringify({ error: { message, type: 'invalid_request_error', code: null } });

describe('a failed attempt', () => {
  it('says that the provider could not be reached, and why; only the operator sees the address', async () => {
    const refused = await failed('closed', undefined);
    expect(refused.message).toBe(
      'The model provider could not be reached (connection refused). ' +
        "Retrying seldom helps: the gateway's operator must check the provider's address.",
    );
    expect(refused.error).toBe('could not be reached (connection refused)');
    expect(refused.operator?.error).toContain('127.0.0.1:9');
    const unknown = await failed('nowhere', undefined);
    expect(unknown.error).toBe('could not be reached (its host name was not found)');
    expect(unknown.message).not.toContain('host.invalid');
  });

  it.each([
    ['openai-compatible', openAiError('The model `gpt-9` does not exist.')],
    [
      'anthropic',
      '{"type":"error","error":{"type":"not_found_error","message":"The model `gpt-9` does not exist."}}',
    ],
    ['gemini', '{"error":{"code":404,"message":"The model `gpt-9` does not exist.","status":"NOT_FOUND"}}'],
    ['cohere', '{"id":"1","message":"The model `gpt-9` does not exist."}'],
    ['bedrock', '{"message":"The model `gpt-9` does not exist."}'],
  ])('shows the status and the words of %s everywhere', async (kind, body) => {
    const { answer, error, logged, message, operator, text } = await failed(kind, json(404, body));
    const said = 'answered 404: The model `gpt-9` does not exist';
    expect(answer.status).toBe(502);
    expect(message).toBe(
      `The model provider ${said}. Retrying the request unchanged does not help; another model may.`,
    );
    expect(error).toBe(said);
    expect(operator).toEqual({ status: 404, error: said });
    expect(text).toContain(`attempt 1, ${kind}: ${said}`);
    expect(logged).toMatchObject({ upstream_status: 404, provider_error: said });
  });

  it.each([200, 404, 502])('says that the provider answered %i with HTML', async (status) => {
    const page: Respond = (res) =>
      res.writeHead(status, { 'content-type': 'text/html' }).end('<html><title>nginx</title></html>');
    const { error, message, operator } = await failed('openai-compatible', page);
    const said = status === 200 ? 'answered HTML instead of JSON' : `answered ${status} with HTML`;
    expect(error).toBe(said);
    expect(message).toContain(`The model provider ${said}. `);
    expect(operator?.error).toContain(status === 200 ? said : `${said}: <html><title>nginx`);
    expect(message).not.toContain('nginx');
    const streamed = await failed('openai-compatible', page, true);
    expect(streamed.error).toBe(status === 200 ? 'answered HTML instead of an event stream' : said);
  });

  it.each([
    [
      401,
      'Incorrect API key provided: sk-proj-********wxyz.',
      'does not accept the credential of this gateway',
    ],
    [402, 'Your account has no balance left.', 'answered 402'],
    [429, 'Rate limit reached in organization org-abc123.', 'answered 429'],
    [500, 'Error in /app/server.py: cannot connect to 10.0.0.8:5432', 'answered 500'],
  ])('shows the words of a %i only to the operator', async (status, words, said) => {
    const { answer, error, operator } = await failed('openai-compatible', json(status, openAiError(words)));
    expect(error).toBe(said);
    expect(answer.body).not.toContain(words.slice(0, 12));
    expect(operator?.error).toContain(`answered ${status}: ${words.slice(0, 12)}`);
    expect(operator?.error).not.toContain('wxyz');
  });

  it('names neither credentials nor hosts of the provider to the caller', async () => {
    const words =
      'No model x at https://llm.corp.example/v1, key the-key-of-the-gateway-0123456789, host 10.1.2.3:80';
    const { answer, error, operator } = await failed('openai-compatible', json(404, openAiError(words)));
    expect(error).toBe('answered 404: No model x at [removed], key [redacted], host [removed]');
    expect(answer.body).not.toMatch(/corp|10\.1\.2\.3|the-key/);
    expect(operator?.error).toContain('https://llm.corp.example/v1, key [redacted]');
  });

  it('shows at most 500 characters, without control characters and half characters', async () => {
    const words = `a\r\n\u001b[31m\u202e${'b'.repeat(492)}😀${'c'.repeat(100)}`;
    const { error, logged, text } = await failed('openai-compatible', json(404, openAiError(words)));
    expect(error).toBe(`answered 404: a [31m ${'b'.repeat(492)}`);
    expect(logged).toMatchObject({ provider_error: error });
    for (const control of ['\r', '\u001b', '\u202e']) expect(text).not.toContain(control);
  });

  it('is read within bounds, however long the error is', async () => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    let sent = 0;
    const endless: Respond = (res) => {
      res.writeHead(404, { 'content-type': 'text/plain' });
      const write = () => {
        while (sent < 100 * 1024 * 1024 && !res.destroyed) {
          sent += chunk.length;
          if (!res.write(chunk)) return void res.once('drain', write);
        }
      };
      write();
    };
    const { answer, error } = await failed('openai-compatible', endless);
    expect(answer.status).toBe(502);
    expect(error).toBe(`answered 404: ${'x'.repeat(500)}`);
    expect(sent).toBeLessThan(20 * 1024 * 1024);
  });
});

describe('an error event within a stream', () => {
  const sse =
    (...events: object[]): Respond =>
    (res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    };
  const words = 'The prompt has an unknown role.';
  it.each<[Kind, Respond]>([
    ['openai-compatible', sse({ error: { message: words, type: 'invalid_request_error' } })],
    ['anthropic', sse({ type: 'error', error: { type: 'invalid_request_error', message: words } })],
    ['gemini', sse({ error: { code: 400, message: words, status: 'INVALID_ARGUMENT' } })],
    [
      'bedrock',
      (res) => {
        res.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
        const body = JSON.stringify({ message: words });
        res.end(simulatedAwsMessage('validationException', body, 'exception'));
      },
    ],
  ])('from %s about the request shows its words everywhere', async (kind, respond) => {
    const { error, message, operator } = await failed(kind, respond, true);
    expect(error).toBe('reported an error: The prompt has an unknown role');
    expect(message).toBe(`The model provider ${error}. Retry the request.`);
    expect(operator?.error).toBe(error);
  });

  it.each<[Kind, Respond]>([
    ['openai-compatible', sse({ error: { message: 'Pod a-7 is full', code: 502 } })],
    ['anthropic', sse({ type: 'error', error: { type: 'overloaded_error', message: 'Pod a-7 is full' } })],
    ['gemini', sse({ error: { code: 500, message: 'Pod a-7 is full', status: 'INTERNAL' } })],
    [
      'cohere',
      sse(
        { type: 'message-start', id: '1' },
        { type: 'message-end', delta: { error: 'Pod a-7 is full', finish_reason: 'ERROR' } },
      ),
    ],
  ])('from %s about the provider itself shows its words only to the operator', async (kind, respond) => {
    const { answer, error, operator } = await failed(kind, respond, true);
    expect(error).toBe('reported an error');
    expect(operator?.error).toBe('reported an error: Pod a-7 is full');
    expect(answer.body).not.toContain('Pod a-7');
  });

  it('is also read from JSON that answers a request for a stream', async () => {
    const { error } = await failed('openai-compatible', json(200, openAiError(words)), true);
    expect(error).toBe('reported an error: The prompt has an unknown role');
  });
});
