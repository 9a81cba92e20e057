import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { loadScript } from '../load-script.ts';
import type { BarsOverTimeProps } from './bars-over-time.tsx';

const load = () => import('./bars-over-time.tsx');

const BarsOverTime = lazy(async () => ({ default: (await loadScript(load)).BarsOverTime }));

/** Starts to fetch the chart code while the figures are still on their way. */
export function preloadCharts(): void {
  // A failure shows when the chart is drawn; here it would go unheard.
  load().catch(() => undefined);
}

/** BarsOverTime, fetched when it is first drawn. */
export function LazyBarsOverTime(props: BarsOverTimeProps) {
  return (
    <Suspense fallback={<Skeleton height={220} radius="md" />}>
      <BarsOverTime {...props} />
    </Suspense>
  );
}
