import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { loadScript } from '../load-script.ts';
import type { BarsOverTimeProps } from './bars-over-time.tsx';

const load = () => import('./bars-over-time.tsx');

const BarsOverTime = lazy(async () => ({ default: (await loadScript(load)).BarsOverTime }));

/** Starts to load the code of the charts while the figures are still being read. */
export function preloadCharts(): void {
  // A failure is shown when the chart is drawn; here nobody would see it.
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
