import { chatCompletionsRequest } from '@model-gateway/shared';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { requireListed } from './request-schemas.ts';

it('a route needs a schema that is listed for the worker thread', () => {
  requireListed(chatCompletionsRequest);
  expect(() => requireListed(z.object({ model: z.string() }))).toThrow('not listed in request-schemas.ts');
});
