export { type GatewayAttempt, readAttempt } from './gateway-attempt.ts';
export type { ProviderNames } from './names.ts';
export { type Period, reconcile } from './reconcile.ts';
export {
  DIFFERENCES,
  type Difference,
  type DifferenceTotal,
  type Explanation,
  type Measure,
  type Report,
  type ReportRow,
} from './report.ts';
export { type Summary, summarize, type Tolerance } from './summarize.ts';
