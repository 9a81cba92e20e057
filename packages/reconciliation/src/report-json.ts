import { formatUsd, UNITS } from '@model-gateway/shared';
import type { Measure, Report } from './report.ts';
import { type Summary, summarize, type Tolerance } from './summarize.ts';

export type ReportJson = ReturnType<typeof reportJson>;

/** Converts a report to JSON. Counts are texts of whole numbers, money is in US dollars. */
export function reportJson(report: Report, tolerance: Tolerance) {
  const summary = summarize(report, tolerance);
  return {
    mode: report.mode,
    is_exceeded: summary.isExceeded,
    money: moneyJson(summary),
    causes: report.totals.map(({ amount, cause, gateway, provider, requestIds, requests }) => ({
      cause,
      requests,
      provider_usd: provider === null ? null : formatUsd(provider),
      gateway_usd: formatUsd(gateway),
      difference_usd: formatUsd(amount),
      request_ids: requestIds,
    })),
    rows: report.rows.map(({ credential, day, explanations, gateway, measure, model, provider }) => ({
      day,
      model,
      credential,
      unit: nameOf(measure),
      provider: amountText(measure, provider),
      gateway: amountText(measure, gateway),
      difference: amountText(measure, provider - gateway),
      causes: explanations.map(({ amount, cause, requestIds, requests }) => ({
        cause,
        amount: amountText(measure, amount),
        requests,
        request_ids: requestIds,
      })),
    })),
  };
}

function moneyJson({ money }: Summary) {
  return (
    money && {
      provider_usd: formatUsd(money.provider),
      gateway_usd: formatUsd(money.gateway),
      difference_usd: formatUsd(money.difference),
      by_cause_usd: formatUsd(money.byCause),
      unexplained_usd: formatUsd(money.unexplained),
    }
  );
}

function nameOf(measure: Measure): string {
  return UNITS.find(({ unit }) => unit === measure)?.column ?? measure;
}

function amountText(measure: Measure, amount: bigint): string {
  return measure === 'usd' ? formatUsd(amount) : String(amount);
}
