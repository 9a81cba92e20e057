import type { ReportJson } from '@model-gateway/reconciliation';
import { formatTable } from './format-table.ts';
import { words } from './printable.ts';
import { shortenUsd } from './usd.ts';

type Reconciliation = ReportJson & { provider: string; from: string; to: string };

const SHOWN_IDS = 3;

/** Formats a comparison for people: all rows, then all causes, then a sentence. */
export function reconciliationText(report: Reconciliation): string {
  const { causes, from, money, provider, rows, to } = report;
  if (rows.length === 0) return `${provider}, ${from} to ${to}: neither side has any usage.\n`;
  const amount = (unit: string, text: string) => (unit === 'usd' ? shortenUsd(text) : text);
  const table = formatTable(
    ['DAY', 'MODEL', 'CREDENTIAL', 'UNIT', 'PROVIDER', 'GATEWAY', 'DIFFERENCE', 'EXPLAINED BY'],
    rows.map(({ causes: explained, credential, day, difference, gateway, model, provider: billed, unit }) => [
      day,
      model ?? '-',
      credential ?? '-',
      unit === 'usd' ? 'USD' : words(unit),
      ...[billed, gateway, difference].map((text) => amount(unit, text)),
      explained.map((each) => `${words(each.cause)} ${amount(unit, each.amount)}`).join(', '),
    ]),
  );
  const found = formatTable(
    ['CAUSE', 'REQUESTS', 'PROVIDER USD', 'GATEWAY USD', 'DIFFERENCE USD', 'REQUEST IDS'],
    causes.map(({ cause, difference_usd, gateway_usd, provider_usd, request_ids, requests }) => [
      words(cause),
      String(requests),
      provider_usd === null ? '-' : shortenUsd(provider_usd),
      shortenUsd(gateway_usd),
      shortenUsd(difference_usd),
      request_ids.length > SHOWN_IDS
        ? `${request_ids.slice(0, SHOWN_IDS).join(' ')} …`
        : request_ids.join(' '),
    ]),
  );
  const heading = `${provider}, ${from} to ${to}, ${report.mode === 'requests' ? 'request by request' : 'by sums'}`;
  return [
    heading,
    table,
    ...(causes.length === 0 ? [] : [found]),
    `${verdict(money, report.is_exceeded)}\n`,
  ].join('\n');
}

function verdict(money: Reconciliation['money'], isExceeded: boolean): string {
  const judgement = isExceeded ? 'It EXCEEDS the tolerance.' : 'It is within the tolerance.';
  if (money === null) return `The bill has no money, so units were compared. ${judgement}`;
  const [billed, recorded, difference, byCause, unexplained] = [
    money.provider_usd,
    money.gateway_usd,
    money.difference_usd,
    money.by_cause_usd,
    money.unexplained_usd,
  ].map(shortenUsd);
  return `The provider bills ${billed} USD, the gateway recorded ${recorded} USD. Difference ${difference} USD, by cause ${byCause} USD, unexplained ${unexplained} USD. ${judgement}`;
}
