import { useMemo } from 'react';
import { type ChangeOptions, useAddressQuery } from '../../components/use-address-query.ts';
import { useNow } from '../../format/use-now.ts';
import { choiceOf, type Period, type PeriodChoice, periodOf } from './period.ts';

/** The page's filters, read from its address, so that links and the Back button work. */
export interface UsageScope {
  choice: PeriodChoice;
  /** Undefined: the chosen dates cannot be asked for. */
  period: Period | undefined;
  /** Undefined: what the account pays for itself. */
  seatId: string | undefined;
  model: string | undefined;
  keyId: string | undefined;
  /** The page of requests: `nextPage` of the previous one; undefined: the newest. */
  page: string | undefined;
  /** Undefined removes a part of the address. A change of any but the page leads to the newest requests. */
  change: (
    parts: Partial<Record<'range' | 'from' | 'to' | 'seat' | 'model' | 'key' | 'page', string | undefined>>,
    options?: ChangeOptions,
  ) => void;
}

const TICK_MS = 5_000;

export function useUsageScope(): UsageScope {
  const [query, change] = useAddressQuery();
  const nowMs = useNow(TICK_MS);
  const choice = choiceOf(query);
  const found = periodOf(choice, nowMs);
  const { fromMs, toMs, width, isLive } = found ?? {};
  // It stays the same object until a new bucket begins.
  const period = useMemo<Period | undefined>(
    () =>
      fromMs === undefined || toMs === undefined || width === undefined
        ? undefined
        : { fromMs, toMs, width, isLive: isLive === true },
    [fromMs, toMs, width, isLive],
  );
  return {
    choice,
    period,
    seatId: query.get('seat') ?? undefined,
    model: query.get('model') ?? undefined,
    keyId: query.get('key') ?? undefined,
    page: query.get('page') ?? undefined,
    change: (parts, options) => change({ page: undefined, ...parts }, options),
  };
}
