import type { Page } from 'playwright-core';

/**
 * Counts the CPU time of a page's scripts, styles and layout. Unlike a duration, it does not grow with the
 * load of the machine.
 */
export async function pageCpu(page: Page): Promise<{ usedMs(): Promise<number> }> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return {
    async usedMs() {
      const { metrics } = await session.send('Performance.getMetrics');
      const task = metrics.find(({ name }) => name === 'TaskDuration');
      if (task === undefined) throw new Error('the browser does not count its tasks');
      return task.value * 1_000;
    },
  };
}
