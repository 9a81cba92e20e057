import { LATEST_MS } from '@model-gateway/shared/rules';
import { z } from 'zod';

/** A moment in a request: ISO 8601 with a time zone, or Unix seconds. */
export const time = z
  .union([z.iso.datetime({ offset: true }), z.int().min(0)])
  .transform((given) => new Date(typeof given === 'number' ? given * 1_000 : given))
  .refine((at) => at.getTime() <= LATEST_MS, 'must be before the year 10000')
  .meta({ description: 'ISO 8601 with a time zone, or Unix seconds.' });
