export { cancelBackend } from './cancel-backend.ts';
export { createDatabase, databaseUrl, dropDatabase } from './databases.ts';
export { Prisma, type PrismaClient } from './generated/client.ts';
export { applyMigrations, assertMigrated, type MigrationOptions } from './migrations.ts';
export { createPrismaClient, type PrismaClientOptions } from './prisma-client.ts';
export { ReadingPool, type ReadingPoolOptions } from './reading-pool.ts';
export { renewEpoch } from './renew-epoch.ts';
