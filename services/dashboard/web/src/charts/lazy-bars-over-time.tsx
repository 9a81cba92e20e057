import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { loadScript } from '../load-script.ts';
import type { BarsOverTimeProps } from './bars-over-time.tsx';

const load = () => import('./bars-over-time.tsx');

const BarsOverTime = lazy(async () => ({ default: (await loadScript(load)).BarsOverTime }));

/** Loads the chart code while the data is still loading. */
export function preloadCharts(): void {
  // BarsOverTime reports a failure when it is drawn.
  load().catch(() => undefined);
}

/** BarsOverTime, loaded when it is first drawn. */
export function LazyBarsOverTime(props: BarsOverTimeProps) {
  return (
    <Suspense fallback={<Skeleton height={220} radius="md" />}>
      <BarsOverTime {...props} />
    </Suspense>
  );
}
