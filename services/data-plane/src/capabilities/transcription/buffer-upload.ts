import type { WholeForm } from '@model-gateway/dialects';
import { ChunkList } from '../../http/chunk-list.ts';
import type { AuthenticatedExchange } from '../../http/exchange.ts';
import { claimMemory, type MemoryBudget } from '../../memory/memory-budget.ts';
import type { TranscriptionUpload } from './read-transcription.ts';

export interface BufferContext {
  bodyBudget: MemoryBudget;
  maxFormBytes: number;
}

export type WholeUpload = TranscriptionUpload & { file: { content: Buffer } };

/**
 * Reads an upload to its end, within the budget of bodies.
 * @throws GatewayError 413, 408, 400, or 503 without memory; ClientGone
 */
export async function bufferUpload(
  { bodyBudget, maxFormBytes }: BufferContext,
  exchange: AuthenticatedExchange,
  upload: TranscriptionUpload,
): Promise<WholeUpload> {
  const { file, finished } = upload;
  if (Buffer.isBuffer(file.content)) return { ...upload, file: { ...file, content: file.content } };
  const announced = Number(exchange.req.headers['content-length'] ?? maxFormBytes);
  await claimMemory(exchange, bodyBudget).take(Math.min(announced, maxFormBytes), exchange.stop.signal);
  const chunks = new ChunkList();
  for await (const chunk of file.content) chunks.add(chunk);
  // Fields may follow the file.
  await finished;
  return { ...upload, file: { ...file, content: Buffer.concat(chunks.all()) } };
}

/** The form of an upload, for comparison. */
export function wholeForm({ fields, file: { content, filename, mimeType } }: WholeUpload): WholeForm {
  return { fields, files: [{ field: 'file', filename, mimeType, chunks: [content] }] };
}
