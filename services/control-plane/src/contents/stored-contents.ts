import { z } from 'zod';

/** A body as it is stored. `text`: null for media, of which only type and size are stored. */
const storedBody = z.object({
  content_type: z.string(),
  bytes: z.int(),
  text: z.string().nullable(),
  cut: z.boolean(),
});

/** The bodies of a request, before they are encrypted. */
export const storedContents = z.object({
  path: z.string(),
  status: z.int(),
  request: storedBody,
  response: storedBody,
});
export type StoredContents = z.infer<typeof storedContents>;
export type StoredBody = z.infer<typeof storedBody>;
