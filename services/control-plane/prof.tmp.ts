import { createPrismaClient } from '@model-gateway/database';
import { getUsage } from './src/usage/get-usage.ts';
import { UsageStore } from './src/usage/usage-store.ts';

const prisma = createPrismaClient('postgresql://postgres@127.0.0.1:55432/usage_perf', { maxConnections: 5 });
const store = new UsageStore(prisma, 400);
const start = Date.parse('2026-10-01T00:00:00Z') / 1000,
  end = Date.parse('2026-11-01T00:00:00Z') / 1000;
const payer = { accountId: 'acct_test' };
const asked: Record<string, any> = {
  month: { startTime: start, endTime: end, bucketWidth: 86400, groupBy: ['model'], limit: 31 },
  edges: {
    startTime: start + 49020,
    endTime: start + 22 * 86400 + 80520,
    bucketWidth: 86400,
    groupBy: ['model', 'key'],
    limit: 31,
  },
  edgesModel: {
    startTime: start + 49020,
    endTime: start + 22 * 86400 + 80520,
    bucketWidth: 86400,
    groupBy: ['model'],
    limit: 31,
  },
  hour: { startTime: end - 3600, endTime: end, bucketWidth: 60, groupBy: ['model'], limit: 60 },
  hours: { startTime: start, endTime: end, bucketWidth: 3600, groupBy: ['model'], limit: 24 },
  day_minutes_max: { startTime: end - 86400, endTime: end, bucketWidth: 60, groupBy: ['model'], limit: 1440 },
  month_hours_max: { startTime: start, endTime: end, bucketWidth: 3600, groupBy: ['model'], limit: 744 },
  month_hours_key: {
    startTime: start,
    endTime: end,
    bucketWidth: 3600,
    groupBy: ['model', 'key'],
    limit: 744,
  },
};
const orig = (prisma as any).$queryRaw;
for (const [name, each] of Object.entries(asked)) {
  const t: number[] = [],
    sqlT: number[] = [];
  let groups = 0;
  const cpu0 = process.cpuUsage();
  for (let i = 0; i < 21; i++) {
    const a = performance.now();
    const r = await getUsage({ usageStore: store }, {
      payer,
      models: [],
      ...each,
      startTime: String(each.startTime),
      endTime: String(each.endTime),
    } as any);
    t.push(performance.now() - a);
    groups = r.buckets.reduce((s, b) => s + b.groups.length, 0);
  }
  t.sort((x, y) => x - y);
  console.log(
    name,
    'p50',
    t[10]!.toFixed(1),
    'p95',
    t[19]!.toFixed(1),
    'groups',
    groups,
    'cpu ms per call',
    (({ user, system }) => (user + system) / 21000)(process.cpuUsage(cpu0)).toFixed(1),
  );
}
await prisma.$disconnect();
