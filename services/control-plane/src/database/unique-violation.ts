import { z } from 'zod';

/** Prisma's error, and its error for raw queries. */
const uniqueViolation = z.union([
  z.object({ code: z.literal('P2002') }),
  z.object({
    meta: z.object({
      driverAdapterError: z.object({ cause: z.object({ kind: z.literal('UniqueConstraintViolation') }) }),
    }),
  }),
]);

/** Returns true when a row with these unique values exists. */
export function isUniqueViolation(error: unknown): boolean {
  return uniqueViolation.safeParse(error).success;
}
