import { chatCompletionsRequest } from '@model-gateway/shared';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { requireListed, SCHEMA_BY_NAME } from './request-schemas.ts';

it('a route needs a schema that is listed for the worker thread', () => {
  requireListed(chatCompletionsRequest);
  expect(() => requireListed(z.object({ model: z.string() }))).toThrow('not listed in request-schemas.ts');
});

it.each([...SCHEMA_BY_NAME])(
  'zod compiles the whole schema %s, and leaves nothing to its parser',
  (_name, schema) => {
    expect(() => z.compile(schema, { strict: true })).not.toThrow();
  },
);
