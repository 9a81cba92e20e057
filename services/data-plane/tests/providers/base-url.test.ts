import { ABSENT_ANTHROPIC_ENDPOINTS, ABSENT_ENDPOINTS } from '@model-gateway/shared';
import { envelopeOf, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const anyError = z.looseObject({
  type: z.string().optional(),
  request_id: z.string().optional(),
  error: z.looseObject({ type: z.string(), message: z.string() }),
});
const gateway = withGateway({ catalog: true });

const ask = (path: string, { accept, method = 'GET' }: { accept?: string; method?: string } = {}) =>
  fetch(`${gateway.baseUrl}${path}`, {
    method,
    redirect: 'manual',
    ...(accept === undefined ? {} : { headers: { accept } }),
  });

describe('the base URL', () => {
  it.each(['/', '/v1', '/v1/', '/v1?x=1'])('GET %s redirects to the documentation', async (path) => {
    for (const accept of ['text/html,application/xhtml+xml;q=0.9,*/*;q=0.8', '*/*']) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await ask(path, { accept, method });
        expect(answer.status).toBe(302);
        expect(answer.headers.get('location')).toBe('/docs');
        expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
        expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
      }
    }
    const page = await fetch(`${gateway.baseUrl}${path}`);
    expect(new URL(page.url).pathname).toBe('/docs');
    expect(await page.text()).toContain('<title>Model Gateway API</title>');
  });

  it.each(['/', '/v1', '/v1/'])('%s gets an API client 404 with the routes that exist', async (path) => {
    for (const asked of [
      { accept: 'application/json' },
      { accept: 'application/json', method: 'POST' },
      { accept: '*/*', method: 'POST' },
    ]) {
      const answer = await ask(path, asked);
      expect(answer.status).toBe(404);
      expect(envelopeOf({ body: await answer.text() })).toMatchObject({
        type: 'invalid_request_error',
        code: 'not_found',
        message: expect.stringContaining('POST /v1/chat/completions'),
      });
    }
  });
});

describe("endpoints of OpenAI's API that the gateway lacks", () => {
  it.each(ABSENT_ENDPOINTS)(
    'the error of $path says that it is missing, and what to use instead',
    async ({ path, instead }) => {
      for (const [method, asked] of [
        ['POST', path],
        ['GET', `${path}/some_id`],
        ['DELETE', `${path}/some_id/more`],
      ] as const) {
        const answer = await ask(asked, { method });
        expect(answer.status).toBe(404);
        const { code, message } = envelopeOf({ body: await answer.text() });
        expect(code).toBe('not_found');
        expect(message).toContain(`OpenAI's API: ${path},`);
        if (instead !== undefined) expect(message).toContain(`Instead: ${instead}.`);
      }
    },
  );

  it.each(['/v1/nothing', '/responses', '/v1/completionsx', '/v1/images', '/v1/audio/x'])(
    'the error of an unknown path says nothing of OpenAI: %s',
    async (path) => {
      const answer = await ask(path, { method: 'POST' });
      expect(answer.status).toBe(404);
      expect(envelopeOf({ body: await answer.text() }).message).not.toContain('OpenAI');
    },
  );
});

describe("endpoints of Anthropic's API that the gateway lacks", () => {
  it.each(ABSENT_ANTHROPIC_ENDPOINTS)(
    'the error of $path says that it is missing',
    async ({ path, instead }) => {
      for (const asked of [path, `${path}/some_id`]) {
        const answer = await ask(asked, { method: 'POST' });
        expect(answer.status).toBe(404);
        const isMessages = path.startsWith('/v1/messages/');
        const { error, request_id, type } = anyError.parse(await answer.json());
        expect(error.message).toContain(`Anthropic's API: ${path},`);
        if (instead !== undefined) expect(error.message).toContain(`Instead: ${instead}.`);
        expect(error.type).toBe(isMessages ? 'not_found_error' : 'invalid_request_error');
        expect(type).toBe(isMessages ? 'error' : undefined);
        if (isMessages) expect(request_id).toBe(answer.headers.get('request-id'));
      }
    },
  );
});
