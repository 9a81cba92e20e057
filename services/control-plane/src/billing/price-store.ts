import type { PrismaClient } from '@model-gateway/database';
import { type Price, priceOf, pricing } from '@model-gateway/shared';

/** Reads price versions from Postgres. */
export class PriceStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  async find(modelId: string, version: number): Promise<Price | undefined> {
    const row = await this.#prisma.modelPrice.findUnique({
      where: { modelId_version: { modelId, version } },
    });
    return row === null ? undefined : priceOf(pricing.parse(row.pricing));
  }
}
