import type { PrismaClient } from '@model-gateway/database';

/** Base of the stores that write, and of those whose reads are part of a request. */
export abstract class PrismaStore {
  protected readonly prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.prisma = prisma;
  }
}
