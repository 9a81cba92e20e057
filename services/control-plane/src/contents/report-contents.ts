import type { ReportContentsRequestMessage } from '@model-gateway/contracts';
import { z } from 'zod';
import { invalidArgument } from '../errors/control-plane-error.ts';
import { reportedId as id } from '../reported-id.ts';
import { type ContentsSeal, sealContents } from './contents-seal.ts';
import type { ContentsStore, NewContents } from './contents-store.ts';
import { hideSecrets } from './hide-secrets.ts';
import type { StoredBody } from './stored-contents.ts';

const MAX_TEXT_BYTES = 256 * 1024;

const reportedBody = z.object({
  contentType: z.string().max(200),
  bytes: z.string().transform(Number).pipe(z.int().nonnegative()),
  text: z
    .instanceof(Uint8Array)
    .refine(({ length }) => length <= MAX_TEXT_BYTES)
    .optional(),
  cut: z.boolean(),
});
const report = z.object({
  contents: z
    .array(
      z.object({
        contentsKeyId: z.string().transform(BigInt),
        requestId: id,
        path: z.string().max(200),
        status: z.int().min(100).max(599),
        request: reportedBody,
        response: reportedBody,
      }),
    )
    .max(500),
});
type Reported = z.infer<typeof report>['contents'][number];

export interface ReportContentsContext {
  contentsStore: Pick<ContentsStore, 'add' | 'keysInUse'>;
  contentsSeal: Pick<ContentsSeal, 'open'>;
  contentsAccountBytes: number;
}

/**
 * Encrypts and stores contents that a data plane reports.
 * @returns `dropped`: contents of accounts that have turned them off; `full`: of accounts that have too many
 * @throws ControlPlaneError invalid_argument
 */
export async function reportContents(
  { contentsAccountBytes, contentsSeal, contentsStore }: ReportContentsContext,
  message: ReportContentsRequestMessage,
): Promise<{ dropped: number; full: number }> {
  const parsed = report.safeParse(message);
  if (!parsed.success) throw invalidArgument('the report of contents is not well-formed');
  const { contents } = parsed.data;
  const inUse = await contentsStore.keysInUse([...new Set(contents.map((each) => each.contentsKeyId))]);
  const keys = new Map(inUse.map((key) => [key.id, contentsSeal.open(key, key.accountId)]));
  const toStore: NewContents[] = [];
  for (const each of contents) {
    const key = keys.get(each.contentsKeyId);
    // One at a time: each compression takes megabytes while it runs.
    if (key !== undefined) toStore.push(await sealReported(each, key));
  }
  const unread = contents.length - toStore.length;
  if (toStore.length === 0) return { dropped: unread, full: 0 };
  const { full, off } = await contentsStore.add(toStore, contentsAccountBytes);
  return { dropped: unread + off, full };
}

async function sealReported(
  { contentsKeyId: keyId, path, request, requestId, response, status }: Reported,
  key: Buffer,
): Promise<NewContents> {
  const contents = { path, status, request: storedBody(request), response: storedBody(response) };
  return { keyId, requestId, sealed: await sealContents(key, requestId, contents) };
}

function storedBody({ bytes, contentType, cut, text }: Reported['request']): StoredBody {
  return {
    content_type: contentType,
    bytes,
    text: text === undefined ? null : hideSecrets(Buffer.from(text).toString()),
    cut,
  };
}
