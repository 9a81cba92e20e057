import type { HolderRequestMessage, ListHolderRequestsResponseMessage } from '@model-gateway/contracts';
import { describe, expect, it } from 'vitest';
import { readRequests } from './read-requests.ts';

const question = { accountId: 'acct_1', startMs: 0, endMs: 1 };

/** A stub with `count` requests, a thousand on a page. */
function holderOf(count: number) {
  const asked: { limit?: number; pageToken?: string }[] = [];
  return {
    asked,
    async listHolderRequests(ask: {
      limit?: number;
      pageToken?: string;
    }): Promise<ListHolderRequestsResponseMessage> {
      asked.push(ask);
      const from = Number(ask.pageToken ?? 0);
      const to = Math.min(count, from + (ask.limit ?? 0));
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
  };
}

describe('reading requests for a file', () => {
  it('takes every page, each request once', async () => {
    const holder = holderOf(2_500);
    const read = await Array.fromAsync(readRequests(holder, question, 1_000_000));
    expect(new Set(read.map(({ requestId }) => requestId)).size).toBe(2_500);
    expect(read).toHaveLength(2_500);
    expect(holder.asked).toHaveLength(3);
  });

  it('ends at the most that is wanted', async () => {
    const read = await Array.fromAsync(readRequests(holderOf(2_500), question, 1_500));
    expect(read).toHaveLength(1_500);
  });

  it('asks for no page that nobody has read up to', async () => {
    const holder = holderOf(10_000);
    for await (const { requestId } of readRequests(holder, question, 1_000_000)) {
      if (requestId === 'req_1500') break;
    }
    expect(holder.asked).toHaveLength(2);
  });
});
