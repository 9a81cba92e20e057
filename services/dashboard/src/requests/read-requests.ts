import type { HolderRequestMessage } from '@model-gateway/contracts';
import type { HolderReads } from '../control-plane/holder-client.ts';
import type { KeyName } from '../keys/key-names.ts';

export interface RequestsFilter {
  accountId: string;
  seatId?: string;
  startMs: number;
  endMs: number;
  modelId?: string;
  keyId?: string;
  keyKind?: KeyName['kind'];
  withRefused?: boolean;
  labels: { label: string; values: string[] }[];
}

const PAGE_LENGTH = 1_000;

/** Reads at most `max` requests, newest first, page by page. */
export async function* readRequests(
  holder: Pick<HolderReads, 'listHolderRequests'>,
  filter: RequestsFilter,
  max: number,
): AsyncGenerator<HolderRequestMessage> {
  let left = max;
  let pageToken: string | undefined;
  do {
    const page = await holder.listHolderRequests({
      ...filter,
      limit: Math.min(PAGE_LENGTH, left),
      ...(pageToken === undefined ? {} : { pageToken }),
    });
    yield* page.requests;
    left -= page.requests.length;
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined && left > 0);
}
