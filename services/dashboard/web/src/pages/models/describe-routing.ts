import type { Model } from './matching-models.ts';

/** Describes the models behind a virtual model, with their shares of the requests. */
export function describeRouting(models: NonNullable<Model['models']>): string {
  const sum = models.reduce((total, { weight }) => total + weight, 0);
  const share = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 1 });
  return `Routes to ${models.map(({ model, weight }) => `${model} (${share.format(weight / sum)})`).join(', ')}`;
}
