import { z } from 'zod';

/** The error of Prisma, and its error for a raw query. */
const uniqueViolation = z.union([
  z.object({ code: z.literal('P2002') }),
  z.object({
    meta: z.object({
      driverAdapterError: z.object({ cause: z.object({ kind: z.literal('UniqueConstraintViolation') }) }),
    }),
  }),
]);

/** Whether a statement failed because a row with these unique values exists already. */
export function isUniqueViolation(error: unknown): boolean {
  return uniqueViolation.safeParse(error).success;
}
