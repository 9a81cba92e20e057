import { useMemo } from 'react';
import { type ChangeOptions, useAddressQuery } from '../../components/use-address-query.ts';
import { useNow } from '../../format/use-now.ts';
import { choiceOf, type Period, type PeriodChoice, periodOf } from './period.ts';

/** The page's filters, stored in the URL, so that links and the Back button work. */
export interface UsageScope {
  choice: PeriodChoice;
  /** Undefined: the chosen dates are invalid. */
  period: Period | undefined;
  /** Undefined: what the account pays. */
  seatId: string | undefined;
  model: string | undefined;
  keyId: string | undefined;
  /** The label by which the page splits sums, such as `tag:project`. */
  group: string | undefined;
  /** Only requests with this value of this label. */
  label: string | undefined;
  value: string | undefined;
  /** The page of requests: `nextPage` of the previous one; undefined: the newest. */
  page: string | undefined;
  /** Sets query parameters; undefined removes one. Resets the page unless it is among them. */
  change: (parts: Partial<Record<QueryName, string | undefined>>, options?: ChangeOptions) => void;
}

type QueryName = 'range' | 'from' | 'to' | 'seat' | 'model' | 'key' | 'group' | 'label' | 'value' | 'page';

const TICK_MS = 5_000;

export function useUsageScope(): UsageScope {
  const [query, change] = useAddressQuery();
  const nowMs = useNow(TICK_MS);
  const choice = choiceOf(query);
  const found = periodOf(choice, nowMs);
  const { fromMs, toMs, width, isLive } = found ?? {};
  // The same object until a new bucket starts.
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
    group: labelIn(query, 'group'),
    ...filterOf(query),
    page: query.get('page') ?? undefined,
    change: (parts, options) => change({ page: undefined, ...parts }, options),
  };
}

const LABEL = /^(tag:[a-z0-9_.-]{1,64}|end_user|session)$/;

function labelIn(query: URLSearchParams, name: string): string | undefined {
  const label = query.get(name) ?? '';
  return LABEL.test(label) ? label : undefined;
}

/** Returns a label with its value, or neither. */
function filterOf(query: URLSearchParams): Pick<UsageScope, 'label' | 'value'> {
  const label = labelIn(query, 'label');
  const value = query.get('value') ?? undefined;
  return label === undefined || value === undefined
    ? { label: undefined, value: undefined }
    : { label, value };
}
