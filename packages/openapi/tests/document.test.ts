import { ERROR_CODES, type GatewayError, messagesErrorBody, messagesErrorType } from '@model-gateway/shared';
import * as errors from '@model-gateway/shared/errors';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ERROR_EXAMPLES } from '../src/error-examples.ts';
import { EXAMPLE_ID, exampleBody } from '../src/error-responses.ts';
import { openApiDocument } from '../src/index.ts';
import { SchemaChecks } from '../src/schema-checks.ts';

const document = openApiDocument();
const reparsed = () => z.looseObject({}).parse(JSON.parse(JSON.stringify(document)));

const operation = z.looseObject({
  operationId: z.string(),
  summary: z.string(),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  requestBody: z.looseObject({ required: z.literal(true) }).optional(),
  responses: z.record(
    z.string(),
    z.looseObject({
      headers: z.record(z.string(), z.unknown()),
      content: z
        .record(z.string(), z.looseObject({ examples: z.record(z.string(), z.unknown()).optional() }))
        .optional(),
    }),
  ),
});
const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
  Object.entries(item).map(([method, value]) => ({ path, method, ...operation.parse(value) })),
);

const errorResponse = z.object({ error: z.object({ message: z.string() }) });

/** The error as the routes of Messages show it; its type goes by the status. */
function inMessages(error: GatewayError): object[] {
  const body = messagesErrorBody(error, EXAMPLE_ID);
  return (ERROR_EXAMPLES[error.code].statuses ?? [error.status]).map((status) => ({
    ...body,
    error: { ...body.error, type: messagesErrorType(status) },
  }));
}

/** Finds every value in the document that looks like an error answer, wherever it stands. */
function shownErrors(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const isError = 'error' in value && errorResponse.safeParse(value).success;
  return isError ? [value] : Object.values(value).flatMap(shownErrors);
}

describe('the OpenAPI document', () => {
  it('is valid by the official schema of OpenAPI 3.1', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(reparsed());
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(validator.version).toBe('3.1');
  });

  it('refers only to what is in it', () => {
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g);
    for (const [reference, kind = '', name = ''] of references) {
      const components = z.record(z.string(), z.record(z.string(), z.unknown())).parse(document.components);
      expect(components[kind], reference).toHaveProperty([name]);
    }
  });

  it('has every route, and says for each whether it needs a key', () => {
    const security = ({ security }: (typeof operations)[number]) => {
      if (security.length === 0) return 'public';
      const ways = security.map((way) => Object.keys(way).join(' and '));
      return ways.includes('') ? 'optional' : ways.length === 1 ? 'key' : `key (${ways.join(' or ')})`;
    };
    expect(
      operations.map((each) => `${each.method.toUpperCase()} ${each.path} ${security(each)}`).sort(),
    ).toEqual([
      'DELETE /v1/cache key',
      'DELETE /v1/responses/{response_id} key',
      'GET /health public',
      'GET /v1/key key',
      'GET /v1/models optional',
      'GET /v1/models/{modelId} optional',
      'GET /v1/responses/{response_id} key',
      'GET /v1/responses/{response_id}/input_items key',
      'GET /v1/status public',
      'GET /v1/status/models public',
      'GET /v1/usage key',
      'GET /v1/usage/requests/{request_id} key',
      'POST /v1/audio/speech key',
      'POST /v1/audio/transcriptions key',
      'POST /v1/chat/completions key',
      'POST /v1/completions key',
      'POST /v1/embeddings key',
      'POST /v1/images/edits key',
      'POST /v1/images/generations key',
      'POST /v1/messages key (apiKey or anthropicApiKey)',
      'POST /v1/messages/count_tokens key (apiKey or anthropicApiKey)',
      'POST /v1/moderations key',
      'POST /v1/rerank key',
      'POST /v1/responses key',
      'POST /v1/responses/compact key',
      'POST /v1/responses/input_tokens key',
      'POST /v1/responses/{response_id}/cancel key',
    ]);
  });

  it.each([
    ['POST /v1/chat/completions', 'Chat'],
    ['POST /v1/messages', 'Messages'],
    ['POST /v1/messages/count_tokens', 'Tokens'],
    ['POST /v1/completions', 'Text'],
    ['POST /v1/embeddings', 'Embeddings'],
    ['POST /v1/rerank', 'Rerank'],
    ['POST /v1/moderations', 'Moderations'],
    ['POST /v1/images/generations', 'Images'],
    ['POST /v1/images/edits', 'Images'],
    ['POST /v1/audio/speech', 'Speech'],
    ['POST /v1/audio/transcriptions', 'Transcriptions'],
    ['GET /v1/models', 'Models'],
    ['GET /v1/models/{modelId}', 'Model'],
    ['GET /v1/status', 'Status'],
    ['GET /v1/status/models', 'Status'],
    ['GET /health', 'Health'],
    ['GET /v1/key', 'Key'],
    ['GET /v1/usage', 'Usage'],
    ['GET /v1/usage/requests/{request_id}', 'Receipt'],
  ])('the title of %s begins with the word that the field has for it: %s', (route, word) => {
    const found = operations.find(({ method, path }) => `${method.toUpperCase()} ${path}` === route);
    expect(found?.summary.split(/[^A-Za-z]/)[0]).toBe(word);
  });

  it('explains the field `notre` wherever it appears', () => {
    const texts = JSON.stringify(document).match(/[^"]*notre[^"]*/g) ?? [];
    const described = texts.filter((text) => text !== 'notre');
    expect(described.length).toBeGreaterThan(0);
    for (const text of described) expect(text).toMatch(/notes of your own/);
    expect(JSON.stringify(document)).toMatch(/"notre":\{"description":"Your own notes/);
  });

  it('shows every error code there is', () => {
    const shown = operations.flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ content }) =>
        Object.keys(content?.['application/json']?.examples ?? {}),
      ),
    );
    expect([...new Set(shown)]).toEqual(expect.arrayContaining(Object.keys(ERROR_CODES)));
  });

  it('shows no error but those that the catalogue of errors makes, each under its own code', () => {
    const made = [
      ...Object.values(ERROR_EXAMPLES).map(({ error }) => error),
      errors.invalidField('model', 'is required'),
      errors.methodNotAllowed('GET', ['POST']),
      errors.wrongEndpoint({ id: 'acme/small', capability: 'chat' }),
      errors.bodyNotWanted(),
      errors.invalidQuery('tier', 'is wrong: must be one of free, paid'),
      errors.invalidQuery('start_time', 'must be before end_time (default: now)'),
      errors.addressLimitReached(120, 3_000),
      errors.requestLimitReached('reads', 300, 3_000),
      errors.catalogUnreachable(),
      errors.usageUnreadable(),
      errors.keyUnreadable(),
      errors.noSuchModel(),
      errors.responseNotFound('resp_1'),
    ].flatMap((error) => [exampleBody(error), ...inMessages(error)].map((body) => JSON.stringify(body)));
    const shown = shownErrors(document).map((error) => JSON.stringify(error));
    expect(shown.length).toBeGreaterThan(made.length);
    expect(shown.filter((error) => !made.includes(error))).toEqual([]);
    for (const [code, { error }] of Object.entries(ERROR_EXAMPLES)) expect(error.code).toBe(code);
  });

  it('shows requests that its own schemas accept', () => {
    const checks = new SchemaChecks(document);
    const media = z.looseObject({ example: z.unknown().optional() });
    for (const { path, method, requestBody } of operations) {
      const content = z.record(z.string(), media).parse(requestBody?.content ?? {});
      for (const [type, { example }] of Object.entries(content)) {
        if (example === undefined) continue;
        const pointer = ['paths', path, method, 'requestBody', 'content', type, 'schema'];
        expect(checks.check(pointer, example), path).toBeUndefined();
        expect(checks.check(pointer, {}), path).toBeDefined();
      }
    }
  });

  it('names the request id in every answer, and what each status adds', () => {
    for (const { responses } of operations) {
      for (const [status, { headers }] of Object.entries(responses)) {
        expect(headers).toHaveProperty('x-request-id');
        if (status === '401') expect(headers).toHaveProperty('www-authenticate');
        if (status === '405') expect(headers).toHaveProperty('allow');
        if (status === '429' || status === '503') expect(headers).toHaveProperty('retry-after');
        if (status === '304') expect(headers).toHaveProperty('etag');
      }
    }
  });

  it('promises the limits where a request was counted, and model and overhead where it was forwarded', () => {
    const presence = (path: string, status: string, header: string) => {
      const responses = operations.find((each) => each.path === path)?.responses;
      const { $ref } = z
        .object({ $ref: z.string() })
        .parse(responses?.[status]?.headers[header] ?? { $ref: '' });
      const component = document.components?.headers?.[$ref.slice('#/components/headers/'.length)];
      if (component === undefined) return 'never';
      return 'required' in component && component.required === true ? 'always' : 'at times';
    };
    const table = (path: string, header: string) =>
      Object.fromEntries(
        Object.keys(operations.find((each) => each.path === path)?.responses ?? {}).map((status) => [
          status,
          presence(path, status, header),
        ]),
      );
    expect(table('/v1/chat/completions', 'ratelimit')).toEqual({
      ...{
        200: 'always',
        402: 'always',
        403: 'always',
        404: 'always',
        409: 'always',
        413: 'always',
        415: 'always',
        422: 'always',
      },
      ...{ 429: 'always', 502: 'always', 504: 'always' },
      ...{ 400: 'at times', 401: 'at times', 500: 'at times', 503: 'at times' },
      ...{ 405: 'never', 408: 'never', 417: 'never', 431: 'never' },
    });
    expect(table('/v1/chat/completions', 'x-gateway-model')).toMatchObject({
      ...{ 200: 'always', 502: 'always', 504: 'always', 409: 'never' },
      ...{ 400: 'at times', 413: 'at times', 422: 'at times', 429: 'at times', 503: 'at times' },
      ...{ 402: 'never', 404: 'never' },
    });
    expect(table('/v1/models/{modelId}', 'ratelimit')).toMatchObject({
      ...{ 200: 'always', 304: 'always', 404: 'always', 429: 'always', 503: 'at times' },
    });
    expect(table('/v1/models/{modelId}', 'x-gateway-model')).toMatchObject({ 200: 'never', 500: 'never' });
    expect(Object.values(table('/health', 'ratelimit'))).not.toContain('always');
    expect(Object.values(table('/health', 'ratelimit'))).not.toContain('at times');
  });

  it('forbids clients no field that a later version may add', () => {
    expect(JSON.stringify(document)).not.toContain('additionalProperties":false');
  });
});
