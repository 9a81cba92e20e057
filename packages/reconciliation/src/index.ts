export {
  BILL_APIS,
  type BillApi,
  billApiOf,
  fetchBill,
  readBills,
  readOverlappingBills,
} from './fetch-bill.ts';
export type { ProviderNames } from './names.ts';
export { readAttempts } from './read-attempts.ts';
export { type Period, reconcile } from './reconcile.ts';
export type { Report } from './report.ts';
export { type ReportJson, reportJson } from './report-json.ts';
export { DEFAULT_MILLI_PERCENT, parseMilliPercent, summarize, type Tolerance } from './summarize.ts';
