import { type Price, priceOf, pricing } from '@model-gateway/shared';
import { PrismaStore } from '../database/prisma-store.ts';

export class PriceStore extends PrismaStore {
  async find(modelId: string, version: number): Promise<Price | undefined> {
    const row = await this.prisma.modelPrice.findUnique({
      where: { modelId_version: { modelId, version } },
    });
    return row === null ? undefined : priceOf(pricing.parse(row.pricing));
  }
}
