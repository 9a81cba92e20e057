import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';

const count = z.coerce.number().int().min(0).max(1_000_000_000);

/** Reads a header of InvokeModel. */
export function readBedrockInputTokens(headers: IncomingHttpHeaders): number | undefined {
  const { 'x-amzn-bedrock-input-token-count': header } = headers;
  return typeof header === 'string' && /^\d+$/.test(header) ? count.safeParse(header).data : undefined;
}
