import { z } from 'zod';

/** The body of every error response: the API's envelope (docs/errors.md, "Error codes"). */
export const errorResponse = z.object({
  error: z.object({
    /** The problem and the next step, shown to the user. */
    message: z.string(),
    type: z.string(),
    code: z.string(),
    /** The field that is wrong. */
    param: z.string().nullable(),
    request_id: z.string(),
  }),
});
