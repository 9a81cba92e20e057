import { z } from 'zod';

const body = z.object({
  contentType: z.string(),
  /** Size of the whole body. */
  bytes: z.number(),
  /** Null: media, of which only type and size are stored. */
  text: z.string().nullable(),
  /** True: the body is longer than the text. */
  cut: z.boolean(),
});
export type ShownBody = z.infer<typeof body>;

/** POST /api/requests/:requestId/contents, because each look is recorded. */
export const contentsResponse = z.object({
  path: z.string(),
  status: z.number(),
  /** When they are deleted. */
  expiresAtMs: z.number(),
  request: body,
  response: body,
});
export type ContentsResponse = z.infer<typeof contentsResponse>;
