export {
  attemptPeriod,
  BILL_APIS,
  type BillApi,
  billApiOf,
  fetchBill,
  readBills,
  readOverlappingBills,
} from './fetch-bill.ts';
export { type GatewayAttempt, readAttempt } from './gateway-attempt.ts';
export type { ProviderNames } from './names.ts';
export { type Period, reconcile } from './reconcile.ts';
export type { Report } from './report.ts';
export { type ReportJson, reportJson } from './report-json.ts';
export { summarize, type Tolerance } from './summarize.ts';
