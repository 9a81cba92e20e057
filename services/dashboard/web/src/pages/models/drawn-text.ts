import type { Model } from './matching-models.ts';

/** Says which models a virtual one stands for, and how often each of them is asked. */
export function drawnText(models: NonNullable<Model['models']>): string {
  const sum = models.reduce((total, { weight }) => total + weight, 0);
  const share = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 1 });
  return `Draws ${models.map(({ model, weight }) => `${model} (${share.format(weight / sum)})`).join(', ')}`;
}
