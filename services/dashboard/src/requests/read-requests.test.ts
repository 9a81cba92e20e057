import type { HolderRequestMessage, ListHolderRequestsResponseMessage } from '@model-gateway/contracts';
import { describe, expect, it } from 'vitest';
import { readRequests } from './read-requests.ts';

const filter = { accountId: 'acct_1', startMs: 0, endMs: 1, labels: [] };

interface PageQuery {
  limit?: number;
  pageToken?: string;
}

/** Returns a stub with `count` requests. */
function holderOf(count: number) {
  const calls: PageQuery[] = [];
  return {
    calls,
    async listHolderRequests(query: PageQuery): Promise<ListHolderRequestsResponseMessage> {
      calls.push(query);
      const from = Number(query.pageToken ?? 0);
      const to = Math.min(count, from + (query.limit ?? 0));
      const requests = Array.from({ length: to - from }, (_, index) => request(from + index));
      return { requests, ...(to < count ? { nextPageToken: String(to) } : {}) };
    },
  };
}

function request(index: number): HolderRequestMessage {
  return {
    requestId: `req_${index}`,
    endedAtMs: '0',
    modelId: 'a',
    capability: 'chat',
    keyId: 'key_1',
    keyName: 'One',
    keyKind: 'issued',
    units: null,
    billingReason: 'completed',
    cost: '0',
    latencyMs: 1,
    refused: null,
    tags: {},
  };
}

describe('readRequests', () => {
  it('yields each request of every page once', async () => {
    const holder = holderOf(2_500);
    const read = await Array.fromAsync(readRequests(holder, filter, 1_000_000));
    expect(new Set(read.map(({ requestId }) => requestId)).size).toBe(2_500);
    expect(read).toHaveLength(2_500);
    expect(holder.calls).toHaveLength(3);
  });

  it('stops at the maximum', async () => {
    const read = await Array.fromAsync(readRequests(holderOf(2_500), filter, 1_500));
    expect(read).toHaveLength(1_500);
  });

  it('reads a page only when its requests are needed', async () => {
    const holder = holderOf(10_000);
    for await (const { requestId } of readRequests(holder, filter, 1_000_000)) {
      if (requestId === 'req_1500') break;
    }
    expect(holder.calls).toHaveLength(2);
  });
});
