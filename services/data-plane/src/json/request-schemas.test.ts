import { chatCompletionsRequest } from '@model-gateway/shared';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { requireListed } from './request-schemas.ts';

it('a route cannot be made for a schema that the other thread does not know', () => {
  requireListed(chatCompletionsRequest);
  expect(() => requireListed(z.object({ model: z.string() }))).toThrow('not listed in request-schemas.ts');
});
