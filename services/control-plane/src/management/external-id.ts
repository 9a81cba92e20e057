import { z } from 'zod';

/** Id of an object in a system of the operator. */
export const externalId = z
  .string()
  .min(1)
  .max(255)
  .describe('Id in a system of yours, unique for objects of this kind and account.');
