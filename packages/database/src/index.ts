export { arrayLiteral } from './array-literal.ts';
export { cancelBackend } from './cancel-backend.ts';
export { readConnectionLimits } from './connection-limits.ts';
export { createDatabase, databaseUrl, dropDatabase } from './databases.ts';
export { Prisma, type PrismaClient } from './generated/client.ts';
export { applyMigrations, assertMigrated } from './migrations.ts';
export { createPrismaClient } from './prisma-client.ts';
export { ReadingPool } from './reading-pool.ts';
export { renewEpoch } from './renew-epoch.ts';
export {
  checkpointColumns,
  handOverRequests,
  SETTLED_UNITS,
  type SettledColumn,
  type SettledRecord,
  settledColumns,
  settleRecords,
} from './settled-records.ts';
