import type { HolderRequestMessage } from '@model-gateway/contracts';
import type { CatalogDocumentInput } from '@model-gateway/shared';
import { at, CALL_DEADLINE_MS, type ControlPlanes } from './control-planes-fixture.ts';

/** The usage that an account holder asks for. */
export interface AskedUsage {
  seatId?: string;
  startTime?: number;
  endTime?: number;
  groupBy?: string[];
}

export interface AskedRequests {
  seatId?: string;
  startMs?: number;
  endMs?: number;
  modelId?: string;
  keyId?: string;
  keyKind?: string;
  limit?: number;
  pageToken?: string;
  withRefused?: boolean;
}

const DAY_SECONDS = 86_400;

/** The dashboard's calls about the usage of one account. */
export function holderUsageOf(control: ControlPlanes, accountId: string, plane = 0) {
  const dashboard = at(control.callers, plane);
  const nowMs = Date.now();
  const today = Math.floor(nowMs / 1_000 / DAY_SECONDS) * DAY_SECONDS;
  const requests = (asked: AskedRequests = {}) =>
    dashboard.call(CALL_DEADLINE_MS, 'dashboard', 'listHolderRequests', {
      accountId,
      startMs: 0,
      endMs: nowMs + 3_600_000,
      limit: 100,
      ...asked,
    });
  return {
    usage: (asked: AskedUsage = {}) =>
      dashboard.call(CALL_DEADLINE_MS, 'dashboard', 'getHolderUsage', {
        accountId,
        startTime: today - 40 * DAY_SECONDS,
        endTime: today + DAY_SECONDS,
        bucketWidth: DAY_SECONDS,
        limit: 60,
        ...asked,
      }),
    requests,
    /** Reads all pages. @param between is called after each page */
    async allRequests(asked: AskedRequests = {}, between: () => Promise<void> = async () => {}) {
      const all: HolderRequestMessage[] = [];
      for (let page = await requests(asked); ; ) {
        all.push(...page.requests);
        if (page.nextPageToken === undefined) return all;
        await between();
        page = await requests({ ...asked, pageToken: page.nextPageToken });
      }
    },
    receipt: (requestId: string) =>
      dashboard.call(CALL_DEADLINE_MS, 'dashboard', 'getHolderReceipt', { accountId, requestId }),
    limits: () => dashboard.call(CALL_DEADLINE_MS, 'dashboard', 'getHolderLimits', { accountId }),
  };
}

export async function applyCatalog(control: ControlPlanes, document: CatalogDocumentInput): Promise<void> {
  await at(control.admins, 0).call(CALL_DEADLINE_MS, 'catalog', 'applyCatalog', {
    documentJson: JSON.stringify(document),
  });
}
