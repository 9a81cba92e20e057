import { type Price, PriceListVersion, priceListTerms, priceOf, pricing } from '@model-gateway/shared';
import { PrismaStore } from '../database/prisma-store.ts';

export class PriceStore extends PrismaStore {
  async find(modelId: string, version: number): Promise<Price | undefined> {
    const row = await this.prisma.modelPrice.findUnique({
      where: { modelId_version: { modelId, version } },
    });
    return row === null ? undefined : priceOf(pricing.parse(row.pricing));
  }

  /** Finds a version of a price list, also of a deleted one. */
  async findList(number: number): Promise<PriceListVersion | undefined> {
    const row = await this.prisma.priceListVersion.findUnique({ where: { number } });
    if (row === null) return undefined;
    return new PriceListVersion(number, row.validFrom.getTime(), priceListTerms.parse(row.terms));
  }
}
