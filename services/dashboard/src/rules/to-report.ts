import type { RulesReportMessage } from '@model-gateway/contracts';
import { type RulesReport, rulesReport } from '@model-gateway/shared/rules';

export function toReport({ reportJson }: RulesReportMessage): RulesReport {
  return rulesReport.parse(JSON.parse(reportJson));
}
