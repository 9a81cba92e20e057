import type { LabelFilterMessage } from '@model-gateway/contracts';
import { isUsageLabel, MAX_LABELS, MAX_MODELS_ASKED, type UsageLabel } from '@model-gateway/shared';
import { invalidArgument } from '../errors/control-plane-error.ts';

/** Requests whose label has one of these values. */
export interface LabelFilter {
  label: UsageLabel;
  values: readonly string[];
}

/** @throws ControlPlaneError invalid_argument */
export function parseLabelFilters(filters: readonly LabelFilterMessage[]): LabelFilter[] {
  if (filters.length > MAX_LABELS) throw invalidArgument(`labels may name at most ${MAX_LABELS}`);
  return filters.map(({ label, values }) => {
    if (!isUsageLabel(label))
      throw invalidArgument(`labels takes tag:<name>, end_user, session, not "${label}"`);
    if (
      values.length === 0 ||
      values.length > MAX_MODELS_ASKED ||
      values.some((value) => value.includes('\0'))
    ) {
      throw invalidArgument(`labels needs 1 to ${MAX_MODELS_ASKED} values of ${label}`);
    }
    return { label, values };
  });
}

/** Returns the labels that a query groups or filters by, each once. */
export function labelsAsked(grouped: readonly UsageLabel[], filters: readonly LabelFilter[]): UsageLabel[] {
  return [...new Set([...grouped, ...filters.map(({ label }) => label)])];
}

/**
 * Returns true when daily sums answer a query: they have one label, and no keys. Others read the records.
 * @param isByDay true when whole days are enough
 */
export function isSummedByLabel(
  grouped: readonly UsageLabel[],
  filters: readonly LabelFilter[],
  { byKey, isByDay }: { byKey: boolean; isByDay: boolean },
): boolean {
  return labelsAsked(grouped, filters).length === 1 && filters.length <= 1 && !byKey && isByDay;
}
