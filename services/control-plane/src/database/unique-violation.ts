import { z } from 'zod';

/** How Prisma says it, and how it does for a raw query. */
const uniqueViolation = z.union([
  z.object({ code: z.literal('P2002') }),
  z.object({
    meta: z.object({
      driverAdapterError: z.object({ cause: z.object({ kind: z.literal('UniqueConstraintViolation') }) }),
    }),
  }),
]);

/** Whether a statement failed because there is such a row already. */
export function isUniqueViolation(error: unknown): boolean {
  return uniqueViolation.safeParse(error).success;
}
